#include "exec/cuda/walk_source.h"

#include <vector>

#include <fmt/format.h>

#include "exec/cuda/source.h"
#include "exec/cuda/walk_types.h"

namespace espalier::walk {
namespace {

constexpr std::string_view gathers = R"(
__device__ void gather_all(const Phase& p, float* base, const unsigned* sources, const unsigned* offsets,
                           const Gather* gathers) {
  const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned warps = gridDim.x * blockDim.x / 32;
  for (unsigned i = 0; i < p.count; ++i) {
    const Gather g = gathers[p.first + i];
    const unsigned pieces = (g.size + 127) / 128;  // of a row: four elements a lane
    for (unsigned task = warp; task < g.rows * pieces; task += warps) {
      const unsigned row = task / pieces, e = task % pieces * 128 + lane * 4;
      const bool summed = g.first_offset != ~0u;
      const unsigned begin = summed ? offsets[g.first_offset + row] : row;
      const unsigned end = summed ? offsets[g.first_offset + row + 1] : row + 1;
      float sum[4] = {0, 0, 0, 0};
      for (unsigned k = begin; k < end; ++k) {
        const float* from = base + 2ull * sources[g.first_source + k];
        for (unsigned v = 0; v < 4; ++v)
          if (e + v < g.size) sum[v] = k == begin ? from[e + v] : sum[v] + from[e + v];
      }
      float* out = base + g.out + (unsigned long long)row * g.stride;
      for (unsigned v = 0; v < 4; ++v)
        if (e + v < g.size) out[e + v] = sum[v];
    }
  }
}
)";

// By tensor cores, factors rounded to tf32. A block takes 64 rows and 8 columns, its warps share the sum over k. The
// order of k is not that of the instruction, but the same in both factors, so that a thread loads four neighbours.
constexpr std::string_view fast_product = R"(
__device__ __forceinline__ unsigned rounded(float x) {
  unsigned y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ void multiply(float* c, float a0, float a1, float a2, float a3, float b0, float b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(rounded(a0)), "r"(rounded(a1)), "r"(rounded(a2)), "r"(rounded(a3)), "r"(rounded(b0)), "r"(rounded(b1)));
}
template <int tiles, bool is_transposed>
__device__ void product_of_tiles(const Phase& p, unsigned r0, unsigned c0, float* shared) {
  const unsigned warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
  float sum[tiles][4] = {};
  const unsigned column = min(c0 + g, p.n - 1);
  const float* upper[tiles];
  const float* lower[tiles];
  for (int t = 0; t < tiles; ++t) {
    upper[t] = p.x + min(r0 + t * 16 + g, p.rows - 1) * p.x_stride + 4 * q;
    lower[t] = p.x + min(r0 + t * 16 + g + 8, p.rows - 1) * p.x_stride + 4 * q;
  }
#pragma unroll 4
  for (unsigned k = warp * 16; k < p.k; k += 128) {
    float4 b;
    if (is_transposed) {
      const float* w = p.w + (unsigned long long)(k + 4 * q) * p.n + column;
      b = make_float4(w[0], w[p.n], w[2 * p.n], w[3 * p.n]);
    } else {
      b = *(const float4*)(p.w + (unsigned long long)column * p.k + k + 4 * q);
    }
#pragma unroll
    for (int t = 0; t < tiles; ++t) {
      const float4 u = *(const float4*)(upper[t] + k), l = *(const float4*)(lower[t] + k);
      multiply(sum[t], u.x, l.x, u.y, l.y, b.x, b.y);
      multiply(sum[t], u.z, l.z, u.w, l.w, b.z, b.w);
    }
  }
  for (int t = 0; t < tiles; ++t)
    for (int i = 0; i < 4; ++i)
      shared[((warp * tiles + t) * 16 + g + i / 2 * 8) * 8 + 2 * q + i % 2] = sum[t][i];
  __syncthreads();
  for (unsigned i = threadIdx.x; i < tiles * 128; i += blockDim.x) {
    const unsigned row = r0 + i / 8, c = c0 + i % 8;
    if (row >= p.rows || c >= p.n) continue;
    float* out = p.out + row * p.out_stride + c;
    float total = p.flags & adds ? *out : 0.f;
    for (unsigned w = 0; w < 8; ++w) total += shared[w * tiles * 128 + i];
    *out = total;
  }
  __syncthreads();
}
template <bool is_transposed>
__device__ void fast_product(const Phase& p, float* shared) {
  const unsigned columns = (p.n + 7) / 8, groups = (p.rows + 63) / 64;
  for (unsigned task = blockIdx.x; task < columns * groups; task += gridDim.x) {
    const unsigned c0 = task % columns * 8, r0 = task / columns * 64, left = p.rows - r0;
    if (left > 32)
      product_of_tiles<4, is_transposed>(p, r0, c0, shared);
    else if (left > 16)
      product_of_tiles<2, is_transposed>(p, r0, c0, shared);
    else
      product_of_tiles<1, is_transposed>(p, r0, c0, shared);
  }
}
)";

// In f32, for any sizes. A block takes 8 rows and 32 columns, its warps share the sum over k, a lane has a column.
constexpr std::string_view plain_product = R"(
__device__ void plain_product(const Phase& p, float* shared) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned columns = (p.n + 31) / 32, groups = (p.rows + 7) / 8;
  const unsigned long long step = p.flags & transposed ? p.n : 1, apart = p.flags & transposed ? 1 : p.k;
  for (unsigned task = blockIdx.x; task < columns * groups; task += gridDim.x) {
    const unsigned c = task % columns * 32 + lane, r0 = task / columns * 8;
    const float* w = p.w + min(c, p.n - 1) * apart;
    float sum[8] = {};
    for (unsigned k = warp; k < p.k; k += 8) {
      const float b = w[k * step];
#pragma unroll
      for (unsigned r = 0; r < 8; ++r) sum[r] += p.x[min(r0 + r, p.rows - 1) * p.x_stride + k] * b;
    }
    for (unsigned r = 0; r < 8; ++r) shared[(warp * 8 + r) * 32 + lane] = sum[r];
    __syncthreads();
    const unsigned row = r0 + warp;
    if (row < p.rows && c < p.n) {
      float* out = p.out + row * p.out_stride + c;
      float total = p.flags & adds ? *out : 0.f;
      for (unsigned i = 0; i < 8; ++i) total += shared[(i * 8 + warp) * 32 + lane];
      *out = total;
    }
    __syncthreads();
  }
}
)";

constexpr std::string_view barrier = R"(
// All blocks are there at once (a cooperative launch): each adds one, and waits until all have.
__device__ void meet(unsigned* arrived, unsigned target) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    unsigned seen;
    do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
    while ((int)(seen - target) < 0);
    __threadfence();
  }
  __syncthreads();
}
)";

}  // namespace

std::string source(std::span<const Function> functions) {
  std::vector<const Run*> runs;
  for (const Function& f : functions) runs.push_back(f.run);
  std::string s = std::string(types_source) + "\n" + gather_source + cuda_functions(runs);
  s += std::string(gathers) + std::string(fast_product) + std::string(plain_product) + std::string(barrier);
  for (size_t i = 0; i < functions.size(); ++i)
    s += cuda_phase(*functions[i].run, functions[i].lanes, fmt::format("run_{}", i));
  s += fmt::format(R"(
extern "C" __global__ void __launch_bounds__({}, 1) {}(
    const Phase* phases, unsigned count, float* base, const unsigned* sources, const unsigned* offsets,
    const Gather* gathers, const Operand* operands, unsigned* arrived, unsigned target) {{
  __shared__ float shared[4096];
  for (unsigned i = 0; i < count; ++i) {{
    const Phase p = phases[i];
    if (p.kind == gather_phase) gather_all(p, base, sources, offsets, gathers);
    else if (p.kind == run_phase) switch (p.function) {{
)",
                   threads, kernel_name);
  for (size_t i = 0; i < functions.size(); ++i)
    s += fmt::format("      case {0}: run_{0}(p.rows, operands + p.first); break;\n", i);
  s += R"(    }
    else if (!(p.flags & fast)) plain_product(p, shared);
    else if (p.flags & transposed) fast_product<true>(p, shared);
    else fast_product<false>(p, shared);
    if (i + 1 < count) meet(arrived, target += gridDim.x);
  }
}
)";
  return s;
}

}  // namespace espalier::walk
