// Minibatch: which examples are taken together, and in which epoch. Random numbers are keyed by
// both, so that dropout does not depend on what else is in the batch.
#pragma once

#include <cstdint>
#include <vector>

namespace espalier {

struct Minibatch {
  std::vector<uint64_t> ids;
  uint64_t epoch = 0;
};

}  // namespace espalier
