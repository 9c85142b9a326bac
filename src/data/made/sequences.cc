#include <espalier/data/made/sequences.h>

#include <algorithm>
#include <string>

#include <espalier/base/error.h>

#include "base/draw.h"

namespace espalier::data::sequences {

Sequence draw(uint64_t seed, uint64_t index, Task task, int length) {
  constexpr int shortest = 6;
  if (length < shortest)
    throw Error("sequences::generate: length is " + std::to_string(length) + "; needed at least " +
                std::to_string(shortest));
  Draw draw(seed, index);
  const auto base = static_cast<uint64_t>(length);
  const uint64_t n = base + draw.below(base / 10 + 1), half = n / 2;
  Sequence made;
  made.steps.resize(n);
  constexpr uint64_t fine = uint64_t{1} << 23;  // steps of what a float holds exactly
  for (auto& step : made.steps) {
    const auto x = static_cast<float>(draw.below(fine)) / static_cast<float>(fine);
    step.value = task == Task::addition ? 2 * x - 1 : x;
  }
  made.steps.front().mark = made.steps.back().mark = -1;
  const uint64_t first = 1 + draw.below(std::min<uint64_t>(10, half) - 1);
  uint64_t second = 1 + draw.below(half - 2);
  if (second >= first) ++second;
  made.steps[first].mark = made.steps[second].mark = 1;
  const float x = made.steps[first].value, y = made.steps[second].value;
  made.target = task == Task::addition ? 0.5f + (x + y) / 4 : x * y;
  return made;
}

std::vector<Sequence> generate(size_t n, uint64_t seed, Task task, int length) {
  std::vector<Sequence> made;
  made.reserve(n);
  while (made.size() < n) made.push_back(draw(seed, made.size(), task, length));
  return made;
}

}  // namespace espalier::data::sequences
