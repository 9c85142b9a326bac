// The gathers of a phase.
#pragma once
#include "exec/gpu/device/persistent/state.cuh"
#include "exec/gpu/device/rounding.cuh"

namespace espalier::persistent {

// Runs all gathers of the phase; a warp takes 128 elements of a row. `task` is the first task of this warp.
__device__ inline void gather_all(unsigned task) {
  const Phase& p = phase;
  const unsigned lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
  for (unsigned i = 0; i < p.gathers; ++i) {
    const GatherView g = args.gathers[p.first_gather + i];
    const unsigned pieces = (g.size + 127) / 128, all = g.rows * pieces;
    for (; task < all; task += warps) {
      const unsigned row = task / pieces, e = task % pieces * 128 + lane * 4;
      const bool summed = g.first_offset != none;
      const unsigned begin = summed ? args.offsets[g.first_offset + row] : row;
      const unsigned end = summed ? args.offsets[g.first_offset + row + 1] : row + 1;
      float* out = args.base + g.out + (unsigned long long)row * g.stride + e;
      if (e >= g.size) continue;
      float sum[4] = {0, 0, 0, 0};
      const unsigned width = min(g.size - e, 4u);
      for (unsigned k = begin; k < end; ++k) {
        const float* from = source_row(g.first_source + k) + e;
        if (width == 4) {  // rows are aligned to two elements
          const float2 x = *(const float2*)from, y = *(const float2*)(from + 2);
          sum[0] = k == begin ? x.x : sum[0] + x.x;
          sum[1] = k == begin ? x.y : sum[1] + x.y;
          sum[2] = k == begin ? y.x : sum[2] + y.x;
          sum[3] = k == begin ? y.y : sum[3] + y.y;
        } else {
          for (unsigned v = 0; v < width; ++v) sum[v] = k == begin ? from[v] : sum[v] + from[v];
        }
      }
      for (unsigned v = 0; v < width; ++v) out[v] = sum[v];
      if (args.bf16_copy != 0)
        for (unsigned v = 0; v < width; ++v) write_bf16<1>(out + v, sum + v, args.bf16_copy);
    }
    task -= all;  // the tasks of the next gather follow
  }
}

// The first task of this warp if tasks are assigned from the last block backwards: the last blocks have the least other
// work in the phase.
__device__ __forceinline__ unsigned from_behind() {
  return (gridDim.x - 1 - blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
}

}  // namespace espalier::persistent
