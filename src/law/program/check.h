// check: the laws that a random program must obey.
#pragma once
#include <cstdint>
#include <string>

#include "law/program/random_program.h"

namespace espalier::law {

struct Verdict {
  std::string failure;  // empty: all laws held
  uint64_t laws = 0, calls = 0;
};

Verdict check(const RandomProgram& program);

}  // namespace espalier::law
