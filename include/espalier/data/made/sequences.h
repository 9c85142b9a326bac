// Long sequences of which two numbers matter: the adding and the multiplication problem (Hochreiter & Schmidhuber
// 1997), as Raffel & Ellis (2015) put them to feed-forward attention.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::data::sequences {

enum class Task {
  addition,        // values uniform in [-1, 1); the target is 0.5 + (x + y) / 4
  multiplication,  // values uniform in [0, 1); the target is x y
};

struct Sequence {
  struct Step {
    float value = 0;
    float mark = 0;  // 1 at the two numbers that count, -1 at both ends, else 0
    bool operator==(const Step&) const = default;
  };
  std::vector<Step> steps;
  float target = 0;  // in [0, 1)
  bool operator==(const Sequence&) const = default;
};

// Example `index` of a seed. Its length is uniform in [length, 1.1 length]; one number is marked in the first ten steps
// and one in the first half, never the first step. The same on every platform. An Error unless length is at least 6.
ESPALIER_API Sequence draw(uint64_t seed, uint64_t index, Task task, int length);
// The examples 0 … n-1.
ESPALIER_API std::vector<Sequence> generate(size_t n, uint64_t seed, Task task, int length);

}  // namespace espalier::data::sequences
