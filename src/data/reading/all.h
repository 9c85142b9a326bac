// all_of: collects the examples that a reader returns one by one.
#pragma once

#include <utility>
#include <vector>

namespace espalier::data {

// next(example) reads one example; it returns false at the end.
template <class Example, class Next>
std::vector<Example> all_of(Next next) {
  std::vector<Example> all;
  for (Example example; next(example);) all.push_back(std::move(example));
  return all;
}

}  // namespace espalier::data
