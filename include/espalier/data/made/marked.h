// Long sequences of numbers, two of which are marked, and what comes of the two: the adding and the multiplication
// problem of Hochreiter & Schmidhuber 1997, as Raffel & Ellis 2015 pose them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::data::marked {

struct Step {
  float number = 0, mark = 0;  // the mark: 1 at two steps, -1 at the first and the last, unless it is 1, 0 elsewhere
  bool operator==(const Step&) const = default;
};
struct Sequence {
  std::vector<Step> steps;
  float target = 0;
  bool operator==(const Sequence&) const = default;
};

// addition:       numbers in [-1, 1), target 0.5 + (a + b) / 4, which lies in [0, 1]
// multiplication: numbers in [0, 1), target a b
enum class Problem { addition, multiplication };

struct Lengths {
  size_t shortest = 50, longest = 1000;  // uniform; 4 or more
};

// One of the first ten steps is marked, and another of the first half. Example `index` of a seed is the same on every
// platform.
ESPALIER_API Sequence draw(Problem problem, uint64_t seed, uint64_t index, const Lengths& lengths = {});

// «0.31 -0.5* 0.2 0.77* 0», with a star behind those that are marked. DataError, "line:1:6: …", unless there are four
// numbers or more and two of them are marked.
ESPALIER_API Sequence parse(Problem problem, std::string_view text, std::string_view name = "line", size_t line = 1);

}  // namespace espalier::data::marked
