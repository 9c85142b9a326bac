// Long sequences of numbers, two of them marked; the target is the sum or the product of the marked numbers. These are
// the adding and multiplication problems of Hochreiter & Schmidhuber 1997 in the version of Raffel & Ellis 2015.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::data::marked {

struct Step {
  float number = 0, mark = 0;  // mark: 1 at the two marked steps, else -1 at the first and last step, else 0
  bool operator==(const Step&) const = default;
};
struct Sequence {
  std::vector<Step> steps;
  float target = 0;
  bool operator==(const Sequence&) const = default;
};

// addition:       numbers in [-1, 1), target 0.5 + (a + b) / 4, which is in [0, 1]
// multiplication: numbers in [0, 1), target a b
enum class Problem { addition, multiplication };

struct Lengths {
  size_t shortest = 50, longest = 1000;  // the length is uniform in this range; at least 4
};

// Example `index` of this seed; the same on every platform. One mark is in the first ten steps, the other in the first
// half of the sequence.
ESPALIER_API Sequence draw(Problem problem, uint64_t seed, uint64_t index, const Lengths& lengths = {});

// Parses "0.31 -0.5* 0.2 0.77* 0", where a star follows each marked number. DataError, "line:1:6: …", unless the text
// has at least four numbers and exactly two marks.
ESPALIER_API Sequence parse(Problem problem, std::string_view text, std::string_view name = "line", size_t line = 1);

}  // namespace espalier::data::marked
