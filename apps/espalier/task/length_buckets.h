// Minibatches of examples of similar length, which need fewer and larger steps.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <espalier/base/minibatch.h>

namespace espalier::app {

// Every example once, in an order that depends only on the arguments. Takes random groups of examples, sorts each group
// by length and cuts it into minibatches; then shuffles the minibatches. O(n log n).
std::vector<Minibatch> minibatches_of_like_length(std::span<const uint32_t> lengths, size_t batch, uint64_t seed,
                                                  uint64_t epoch);

}  // namespace espalier::app
