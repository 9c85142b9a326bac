// Splits off a dev set, for published data without one.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <espalier/train/minibatches.h>

namespace espalier::app {

// Removes `n` examples, at most a fifth, and returns them in their original order. The choice is fixed: it does not
// depend on the training seed. Shuffles the remaining examples, because published files are sorted and --limit trains
// on the first ones.
template <class Example>
std::vector<Example> hold_out(std::vector<Example>& examples, size_t n) {
  constexpr uint64_t fixed = 2018;
  if (examples.empty()) return {};
  std::vector<uint64_t> order = train::minibatches(examples.size(), examples.size(), fixed, 0).front().ids;
  const auto kept_from = order.begin() + static_cast<std::ptrdiff_t>(std::min(n, examples.size() / 5));
  std::sort(order.begin(), kept_from);
  std::vector<Example> held_out, kept;
  for (auto i = order.begin(); i != order.end(); ++i)
    (i < kept_from ? held_out : kept).push_back(std::move(examples[*i]));
  examples = std::move(kept);
  return held_out;
}

}  // namespace espalier::app
