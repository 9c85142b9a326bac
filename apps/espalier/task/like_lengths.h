// Minibatches of examples of like length: side by side they take fewer steps, and larger ones.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <espalier/base/minibatch.h>

namespace espalier::app {

// Every example once, in an order that follows from what is given alone. Some minibatches' worth of examples at a time,
// drawn at random, are sorted by length and cut; then the minibatches are shuffled. O(n log n).
std::vector<Minibatch> minibatches_of_like_length(std::span<const uint32_t> lengths, size_t batch, uint64_t seed,
                                                  uint64_t epoch);

}  // namespace espalier::app
