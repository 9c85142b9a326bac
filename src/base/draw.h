// Draw: random integers one after the other, the same on every platform, which the distributions of <random> are not.
// For what is made in order: shuffles, generated data.
#pragma once
#include <cstdint>

#include "base/random.h"

namespace espalier {

class Draw {
 public:
  // Streams of one seed are independent of each other: one per epoch, say.
  explicit constexpr Draw(uint64_t seed, uint64_t stream = 0) : key_(mix(seed, stream)) {}

  // Uniform in 0 … n-1, without bias; n is at least 1.
  constexpr uint64_t below(uint64_t n) {
    const uint64_t surplus = (0 - n) % n;  // 2^64 mod n: words below it would favour small results
    uint64_t word = next();
    while (word < surplus) word = next();
    return word % n;
  }

 private:
  constexpr uint64_t next() { return mix(key_, count_++); }

  uint64_t key_, count_ = 0;
};

}  // namespace espalier
