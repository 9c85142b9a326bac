// A dev set of one's own, where the published data comes without one.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include <espalier/train/minibatches.h>

namespace espalier::app {

// Moves `n` of the examples, at most a fifth, to `held_out`: the same ones always, whatever the seed of the training.
// The others keep their order.
template <class Example>
std::vector<Example> hold_out(std::vector<Example>& examples, size_t n) {
  constexpr uint64_t fixed = 2018;
  std::vector<bool> is_held_out(examples.size());
  if (const size_t most = examples.size() / 5; n > most) n = most;
  if (n > 0) {
    const std::vector<Minibatch> shuffled = train::minibatches(examples.size(), n, fixed, 0);
    for (const uint64_t i : shuffled.front().ids) is_held_out[i] = true;
  }
  std::vector<Example> held_out, kept;
  for (size_t i = 0; i < examples.size(); ++i) (is_held_out[i] ? held_out : kept).push_back(std::move(examples[i]));
  examples = std::move(kept);
  return held_out;
}

}  // namespace espalier::app
