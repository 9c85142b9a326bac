// Minibatch: example ids and their epoch. Random values are keyed by both, so dropout does not depend on the other
// examples in the batch.
#pragma once

#include <cstdint>
#include <vector>

namespace espalier {

struct Minibatch {
  std::vector<uint64_t> ids;
  uint64_t epoch = 0;
};

}  // namespace espalier
