// minibatches: the examples of one epoch, shuffled and split into batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/base/minibatch.h>

namespace espalier::train {

// Contains every id of 0 … examples-1 exactly once. The order depends only on (examples, seed, epoch) and is the same
// on every platform. The last batch may be smaller. Error if batch is 0. O(examples).
ESPALIER_API std::vector<Minibatch> minibatches(size_t examples, size_t batch, uint64_t seed, uint64_t epoch);

}  // namespace espalier::train
