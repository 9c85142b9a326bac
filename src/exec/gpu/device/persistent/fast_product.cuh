// Products by tensor cores, with factors rounded to tf32. A block computes 32 rows of phase.tiles tiles of eight
// columns, equally many tiles of each part. If there are more warps than tiles, several warps share the sum over k of a
// tile. The elements of k are passed to the instruction in another order, the same for both factors, so that a thread
// loads four neighbours at once. A fused kernel in the same phase reads column e of all parts from shared memory. With
// few rows, latency dominates: a warp keeps several loads in flight.
#pragma once
#include "exec/gpu/device/persistent/state.cuh"

namespace espalier::persistent {

__device__ __forceinline__ unsigned rounded(float x) {
  unsigned y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ uint4 rounded(float4 x) {
  return make_uint4(rounded(x.x), rounded(x.y), rounded(x.z), rounded(x.w));
}
__device__ __forceinline__ void multiply(float* c, unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0,
                                         unsigned b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// A thread's elements of w: four neighbours in k of a column.
__device__ __forceinline__ float4 factors(const Term& t, unsigned column, unsigned k, bool is_transposed) {
  if (!is_transposed) return *(const float4*)(t.w + (unsigned long long)column * t.w_stride + k);
  const float* w = t.w + (unsigned long long)k * t.w_stride + column;
  return make_float4(w[0], w[t.w_stride], w[2 * t.w_stride], w[3 * t.w_stride]);
}
__device__ __forceinline__ unsigned column_of(const Phase& p, unsigned e0, unsigned tile, unsigned g) {
  return min(e0 + tile / p.parts * 8 + g, p.size - 1);
}

// Loads the columns of w that this block uses in all products with w, rounded, in the order in which threads read them.
extern __shared__ uint4 slices[];
__device__ inline void load_weight() {
  const Phase& p = phase;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const unsigned e0 = blockIdx.x % columns_of(p) * (p.tiles / p.parts * 8);
  for (unsigned tile = 0; tile < p.tiles; ++tile) {
    const Part& part = parts[tile % p.parts];
    const unsigned column = column_of(p, e0, tile, lane / 4);
    unsigned before = 0;
    for (unsigned t = part.first_term; before < part.chunks; ++t) {
      const unsigned chunks = terms[t].k / 16;
#pragma unroll 8
      for (unsigned c = warp; c < chunks; c += warps)
        slices[p.slice + (tile * p.chunks + before + c) * 32 + lane] =
            rounded(factors(terms[t], column, c * 16 + lane % 4 * 4, p.flags & transposed));
      before += chunks;
    }
  }
}

// Adds chunks begin to end - 1 of a term. half: there are at most eight rows.
template <int heights, bool half, bool is_kept>
__device__ __forceinline__ void add_chunks(float (&sum)[heights][4], unsigned t, unsigned column, const uint4* slice,
                                           unsigned begin, unsigned end) {
  constexpr int ahead = heights == 2 ? 3 : half ? 8 : 6;
  const unsigned lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
  const float* upper[heights];
  const float* lower[heights];
#pragma unroll
  for (int h = 0; h < heights; ++h) {
    upper[h] = rows[t][h * 16 + g] + 4 * q;
    lower[h] = rows[t][h * 16 + g + 8] + 4 * q;
  }
  for (unsigned c = begin; c < end; c += ahead) {
    float4 u[ahead][heights], l[ahead][heights], b[ahead];
#pragma unroll
    for (int j = 0; j < ahead; ++j) {
      const unsigned k = min(c + j, end - 1) * 16;
      if (!is_kept) b[j] = factors(terms[t], column, k + 4 * q, phase.flags & transposed);
#pragma unroll
      for (int h = 0; h < heights; ++h) {
        u[j][h] = *(const float4*)(upper[h] + k);
        if (!half) l[j][h] = *(const float4*)(lower[h] + k);
      }
    }
#pragma unroll
    for (int j = 0; j < ahead; ++j)
      if (c + j < end) {
        const uint4 w = is_kept ? slice[(c + j) * 32] : rounded(b[j]);
#pragma unroll
        for (int h = 0; h < heights; ++h) {
          const uint4 x = rounded(u[j][h]), y = half ? x : rounded(l[j][h]);
          multiply(sum[h], x.x, y.x, x.y, y.y, w.x, w.y);
          multiply(sum[h], x.z, y.z, x.w, y.w, w.z, w.w);
        }
      }
  }
}

template <int heights, bool half>
__device__ void tiles_of(const Task& task) {
  const Phase& p = phase;
  const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
  const unsigned tiles = p.tiles, shares = warps / tiles, tile = warp % tiles, share = warp / tiles;
  float sum[heights][4] = {};
  if (share < shares) {
    const Part& part = parts[tile % p.parts];
    const unsigned column = column_of(p, task.e0, tile, g), each = (part.chunks + shares - 1) / shares;
    unsigned begin = share * each, end = min(begin + each, part.chunks);  // relative to the first chunk of the term
    const uint4* slice = slices + p.slice + tile * p.chunks * 32 + lane;
    for (unsigned t = part.first_term; begin < end; ++t) {
      const unsigned chunks = terms[t].k / 16;
      if (p.flags & kept)
        add_chunks<heights, half, true>(sum, t, column, slice, begin, min(end, chunks));
      else
        add_chunks<heights, half, false>(sum, t, column, slice, begin, min(end, chunks));
      slice += chunks * 32;
      begin = begin > chunks ? begin - chunks : 0;
      end = end > chunks ? end - chunks : 0;
    }
  }
  for (int h = 0; h < heights; ++h)
    for (int i = 0; i < 4; ++i) sums[((warp * heights + h) * 16 + g + i / 2 * 8) * 8 + 2 * q + i % 2] = sum[h][i];
  __syncthreads();
  constexpr unsigned of_tile = heights * 128;
  for (unsigned i = threadIdx.x; i < tiles * of_tile; i += blockDim.x) {
    const unsigned t = i / of_tile, at = i % of_tile, row = task.r0 + at / 8, e = task.e0 + t / p.parts * 8 + at % 8;
    if (row >= p.rows || e >= p.size) continue;
    const Part& part = parts[t % p.parts];
    float* out = part.out + row * part.out_stride + e;
    float total = part.flags & adds ? *out : 0.f;
    for (unsigned s = 0; s < shares; ++s) total += sums[(s * tiles + t) * of_tile + at];
    if (!(part.flags & unseen)) *out = total;
    sums[t * of_tile + at] = total;  // for the fused kernel of the phase
  }
  __syncthreads();
}

// Computes all tasks of the block. If the phase has a fused kernel, calls after(task, elements per tile) after each.
template <class After>
__device__ void fast_product(After after) {
  const Phase& p = phase;
  const unsigned width = p.tiles / p.parts * 8, columns = columns_of(p), groups = (p.rows + 31) / 32;
  // Tasks are ordered by columns, then by rows. A block that keeps columns of w has the same columns in all its tasks.
  const unsigned together = p.flags & kept ? gridDim.x / columns * columns : gridDim.x;
  if (blockIdx.x >= together) return;
  for (unsigned i = blockIdx.x; i < columns * groups; i += together) {
    const unsigned e0 = i % columns * width;
    const Task task = {i / columns * 32, e0, min(width, p.size - e0)};
    if (i != blockIdx.x) {
      load_rows(p, task.r0);
      __syncthreads();
    }
    const unsigned left = p.rows - task.r0;
    if (left > 16)
      tiles_of<2, false>(task);
    else if (left > 8)
      tiles_of<1, false>(task);
    else
      tiles_of<1, true>(task);
    if (p.flags & with_fused) after(task, left > 16 ? 256 : 128);
    __syncthreads();
  }
}

}  // namespace espalier::persistent
