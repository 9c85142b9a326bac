// minibatches: one epoch's examples, shuffled and cut into batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/base/minibatch.h>

namespace espalier::train {

// Every id of 0 … examples-1 exactly once, in an order that follows from (examples, seed, epoch)
// alone, on every platform. The last batch may be shorter; no examples give no batches; a batch of
// 0 is an Error. O(examples).
ESPALIER_API std::vector<Minibatch> minibatches(size_t examples, size_t batch, uint64_t seed, uint64_t epoch);

}  // namespace espalier::train
