// Division by an integer that is known on the host, as a multiplication and a shift: a GPU has no division instruction
// and needs about forty others. Granlund & Montgomery, "Division by Invariant Integers using Multiplication", 1994.
#pragma once
#include <bit>
#include <cstdint>

#include "base/host_device.h"

namespace espalier {

class Divisor {
 public:
  explicit Divisor(int64_t value) : value_(value) {
    if (value <= 0 || value >= limit) return;  // 0 is never a divisor; large ones use plain division
    const auto bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(value) - 1));
    shift_ = 31 + bits;
    factor_ = ((uint64_t{1} << shift_) + static_cast<uint64_t>(value) - 1) / static_cast<uint64_t>(value);
  }
  ESPALIER_HOST_DEVICE int64_t value() const { return value_; }

  // n ≥ 0. Exact below 2³¹, because the relative error of the factor is below 2⁻³¹; from there on plain division.
  ESPALIER_HOST_DEVICE friend int64_t operator/(int64_t n, const Divisor& d) {
    if (n >= limit || d.factor_ == 0) return n / d.value_;
    return static_cast<int64_t>((static_cast<uint64_t>(static_cast<uint32_t>(n)) * d.factor_) >> d.shift_);
  }
  ESPALIER_HOST_DEVICE friend int64_t operator%(int64_t n, const Divisor& d) { return n - n / d * d.value_; }

 private:
  static constexpr int64_t limit = int64_t{1} << 31;
  int64_t value_;
  uint64_t factor_ = 0;  // less than 2³²
  int shift_ = 0;
};

}  // namespace espalier
