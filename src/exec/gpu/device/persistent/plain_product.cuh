// Products in f32, for any sizes, of one part with one term. A block takes 8 rows and 32 columns; its warps share the
// sum over k, and each lane has a column.
#pragma once
#include "exec/gpu/device/persistent/state.cuh"

namespace espalier::persistent {

__device__ inline void plain_product() {
  const Phase& p = phase;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned columns = (p.size + 31) / 32, groups = (p.rows + 7) / 8;
  const Part& part = parts[0];
  const Term& t = terms[0];
  const unsigned long long step = p.flags & transposed ? t.w_stride : 1, apart = p.flags & transposed ? 1 : t.w_stride;
  for (unsigned task = blockIdx.x; task < columns * groups; task += gridDim.x) {
    const unsigned c = task % columns * 32 + lane, r0 = task / columns * 8;
    const float* w = t.w + min(c, p.size - 1) * apart;
    float sum[8] = {};
    for (unsigned k = warp; k < t.k; k += blockDim.x / 32) {
      const float b = w[k * step];
#pragma unroll
      for (unsigned r = 0; r < 8; ++r) sum[r] += t.x[min(r0 + r, p.rows - 1) * t.x_stride + k] * b;
    }
    for (unsigned r = 0; r < 8; ++r) sums[(warp * 8 + r) * 32 + lane] = sum[r];
    __syncthreads();
    const unsigned row = r0 + warp;
    if (warp < 8 && row < p.rows && c < p.size) {
      float* out = part.out + row * part.out_stride + c;
      float total = part.flags & adds ? *out : 0.f;
      for (unsigned i = 0; i < blockDim.x / 32; ++i) total += sums[(i * 8 + warp) * 32 + lane];
      *out = total;
    }
    __syncthreads();
  }
}

}  // namespace espalier::persistent
