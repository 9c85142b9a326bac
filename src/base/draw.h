// Draw: a stream of random integers for sequential work such as shuffling and generating data. Unlike the distributions
// of <random>, it gives the same values on every platform.
#pragma once
#include <cstdint>

#include "base/random.h"

namespace espalier {

class Draw {
 public:
  // Different streams of one seed are independent; for example, one stream per epoch.
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
