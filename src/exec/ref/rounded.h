// The factors of a product, rounded as by a device that multiplies in tf32 or bf16.
#pragma once
#include <cmath>
#include <vector>

#include <espalier/tensor/tensor.h>
#include "exec/launch.h"

namespace espalier {

// Rounds to the nearest value with this many significant bits.
inline double rounded(double x, int bits) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}
inline int significant_bits(Precision p) { return p == Precision::bf16 ? 8 : p == Precision::tf32 ? 11 : 24; }

class RoundedRows {
 public:
  RoundedRows(Precision precision, Rows<const double> from, int64_t rows, int64_t size)
      : stride_(from.stride == 0 ? 0 : size) {
    const int64_t count = from.stride == 0 ? 1 : rows;
    numbers_.reserve(static_cast<size_t>(count * size));
    for (int64_t r = 0; r < count; ++r)
      for (int64_t e = 0; e < size; ++e) numbers_.push_back(rounded(from[r][e], significant_bits(precision)));
  }
  Rows<const double> rows() const { return {numbers_.data(), stride_}; }

 private:
  std::vector<double> numbers_;
  int64_t stride_;
};

}  // namespace espalier
