// All examples of a file, from a function that gives one after the other.
#pragma once

#include <utility>
#include <vector>

namespace espalier::data {

// next(example) fills it and says whether there was one.
template <class Example, class Next>
std::vector<Example> all_of(Next next) {
  std::vector<Example> all;
  for (Example example; next(example);) all.push_back(std::move(example));
  return all;
}

}  // namespace espalier::data
