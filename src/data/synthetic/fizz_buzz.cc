#include <espalier/data/synthetic/fizz_buzz.h>

#include <string>

#include <espalier/base/error.h>

#include "base/draw.h"

namespace espalier::data::fizz_buzz {

std::vector<Number> generate(size_t n, uint64_t seed, int first, int last) {
  if (first < 0 || first > last)
    throw Error("fizz_buzz: numbers " + std::to_string(first) + " … " + std::to_string(last) +
                "; expected 0 ≤ first ≤ last");
  std::vector<Number> made;
  made.reserve(n);
  while (made.size() < n) {
    const int number = first + static_cast<int>(Draw(seed, made.size()).below(static_cast<uint64_t>(last - first) + 1));
    made.push_back({number, answer(number)});
  }
  return made;
}

}  // namespace espalier::data::fizz_buzz
