// The phases of persistent kernels, with their data.
#pragma once
#include <vector>

#include "exec/gpu/persistent/source.h"

namespace espalier::persistent {

struct Script {
  std::vector<Phase> phases;
  std::vector<Part> parts;
  std::vector<Term> terms;
  std::vector<Operand> operands;
  std::vector<Gather> gathers;
  std::vector<Function> functions;  // of the kernel that is being written

  struct Sizes {
    size_t phases = 0, parts = 0, terms = 0, operands = 0, gathers = 0, functions = 0;
  };
  Sizes sizes() const {
    return {phases.size(), parts.size(), terms.size(), operands.size(), gathers.size(), functions.size()};
  }
  void cut(const Sizes& to) {
    phases.resize(to.phases);
    parts.resize(to.parts);
    terms.resize(to.terms);
    operands.resize(to.operands);
    gathers.resize(to.gathers);
    functions.resize(to.functions);
  }
};

}  // namespace espalier::persistent
