// The laws that one recipe must obey.
#pragma once
#include <cstdint>
#include <string>

#include "law/recipe.h"

namespace espalier::law {

struct Verdict {
  std::string failure;  // empty: all laws held
  uint64_t laws = 0, calls = 0;
};

Verdict check(const Recipe& recipe);

}  // namespace espalier::law
