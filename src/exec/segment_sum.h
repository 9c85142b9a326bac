// The kernel that moves rows: out[i] is the sum of base[source[k]] over k in segment i. It gathers inputs and sums
// gradients from the readers of a value.
#pragma once
#include <algorithm>
#include <cstdint>

#include "exec/launch.h"

namespace espalier {

template <class T>
struct SegmentSum {
  const T* base = nullptr;
  const uint32_t* source = nullptr;   // start of a row, in units of `unit` elements from base
  const uint32_t* offsets = nullptr;  // row i sums sources offsets[i] to offsets[i+1] - 1; null: copies source i
  int64_t rows = 0;
  uint64_t size = 0;  // elements of a row
  T* out = nullptr;
  int64_t out_stride = 0;
};

// Adds sources in order, in blocks of sum_block. Without sources the sum is 0. `out` must not overlap a source.
template <class T>
void segment_sum(const SegmentSum<T>& s) {
  for (int64_t row = 0; row < s.rows; ++row) {
    T* out = s.out + row * s.out_stride;
    const int64_t begin = s.offsets != nullptr ? s.offsets[row] : row;
    const int64_t end = s.offsets != nullptr ? s.offsets[row + 1] : row + 1;
    for (uint64_t e = 0; e < s.size; ++e) {
      T sum = 0;
      for (int64_t first = begin; first < end; first += sum_block) {
        auto from = [&](int64_t k) { return s.base[static_cast<uint64_t>(s.source[k]) * unit + e]; };
        T part = from(first);
        for (int64_t k = first + 1; k < std::min(end, first + sum_block); ++k) part += from(k);
        sum = first == begin ? part : sum + part;
      }
      out[e] = sum;
    }
  }
}

// The same with SIMD; results are equal bit for bit.
void cpu_segment_sum(const SegmentSum<float>& sum);

}  // namespace espalier
