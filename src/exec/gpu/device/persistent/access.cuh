// Elements of a fused kernel's operands that are not in rows of the arena (Access).
#pragma once
#include "exec/gpu/device/persistent/state.cuh"

namespace espalier::persistent {

__device__ __forceinline__ float gathered(const Operand& o, unsigned row, unsigned e) {
  const bool summed = o.first_offset != none;
  const unsigned begin = summed ? args.offsets[o.first_offset + row] : row;
  const unsigned end = summed ? args.offsets[o.first_offset + row + 1] : row + 1;
  float sum = 0;
  for (unsigned k = begin; k < end; ++k) {
    const float x = source_row(o.first_source + k)[o.stride + e];
    sum = k == begin ? x : sum + x;
  }
  return sum;
}
__device__ __forceinline__ float near_of(const Place& p, const Operand& o, unsigned row, unsigned e) {
  return sums[((e - p.e) / 8 * p.parts + o.first_source) * p.of_tile + (row - p.row) * 8 + (e - p.e) % 8];
}

}  // namespace espalier::persistent
