// Distributions for synthetic text: measured quantiles, and word frequencies by rank. They use only operations that
// IEEE 754 rounds exactly, so all platforms draw the same values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/draw.h"

namespace espalier::data {

// Uniform in [0, 1).
inline double fraction(Draw& draw) { return static_cast<double>(draw.below(uint64_t{1} << 53)) * 0x1p-53; }

// A random integer with these quantiles (0 %, 5 % … 100 %), linearly interpolated.
class Quantiles {
 public:
  static constexpr size_t steps = 20;
  constexpr Quantiles(const std::array<int, steps + 1>& at) : at_(at) {}
  int operator()(Draw& draw) const {
    const double x = fraction(draw) * steps;
    const auto i = static_cast<size_t>(x);
    const double low = at_[i], high = at_[i + 1];
    return static_cast<int>(low + (high - low) * (x - static_cast<double>(i)) + 0.5);
  }

 private:
  std::array<int, steps + 1> at_;
};

// A random rank 0 … n-1; rank r has probability ∝ 1 / (r + 1 + offset): Zipf's law with Mandelbrot's offset.
class Zipf {
 public:
  Zipf(int n, double offset) {
    double sum = 0;
    for (int r = 0; r < n; ++r) sums_.push_back(sum += 1 / (r + 1 + offset));
  }
  int operator()(Draw& draw) const {
    const auto it = std::upper_bound(sums_.begin(), sums_.end() - 1, fraction(draw) * sums_.back());
    return static_cast<int>(it - sums_.begin());
  }

 private:
  std::vector<double> sums_;
};

}  // namespace espalier::data
