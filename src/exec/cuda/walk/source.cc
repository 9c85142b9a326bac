#include "exec/cuda/walk/source.h"

#include <vector>

#include <fmt/format.h>

#include "exec/cuda/bf16/rounding.h"
#include "exec/cuda/compile/source.h"
#include "exec/cuda/walk/types.h"

namespace espalier::walk {
namespace {

// All gathers of a step side by side: a warp takes 128 elements of a row.
constexpr std::string_view gathers = R"(
__device__ void gather_all(const Phase& p, float* base, const unsigned* sources, const unsigned* offsets,
                           const Gather* gathers, unsigned long long shadow) {
  const unsigned lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
  unsigned task = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (unsigned i = 0; i < p.count; ++i) {
    const Gather g = gathers[p.first + i];
    const unsigned pieces = (g.size + 127) / 128, all = g.rows * pieces;
    for (; task < all; task += warps) {
      const unsigned row = task / pieces, e = task % pieces * 128 + lane * 4;
      const bool summed = g.first_offset != ~0u;
      const unsigned begin = summed ? offsets[g.first_offset + row] : row;
      const unsigned end = summed ? offsets[g.first_offset + row + 1] : row + 1;
      float* out = base + g.out + (unsigned long long)row * g.stride + e;
      if (e >= g.size) continue;
      float sum[4] = {0, 0, 0, 0};
      const unsigned width = min(g.size - e, 4u);
      for (unsigned k = begin; k < end; ++k) {
        const float* from = base + 2ull * sources[g.first_source + k] + e;
        if (width == 4) {  // rows begin at even places
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
      if (shadow != 0)
        for (unsigned v = 0; v < width; ++v) write_shadow<1>(out + v, sum + v, shadow);
    }
    task -= all;  // the next gather's tasks follow
  }
}
)";

constexpr std::string_view task = R"(
struct Task {
  unsigned r0, e0, width;  // the first row; the first column of each part, and how many of them
};
)";

// By tensor cores, factors rounded to tf32. A block takes 32 rows and p.tiles tiles of eight columns; what warps are
// left over share the sum over k. The order of k is not that of the instruction, but the same in both factors, so that
// a thread loads four neighbours. A run behind it, over size = n / parts elements, needs column e of all parts: the
// block takes the same columns of each. With few rows a warp's instructions, not the memory, take the time: what can be
// known outside of the loop is.
constexpr std::string_view fast_product = R"(
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
// Column g of a tile.
__device__ __forceinline__ unsigned column_of(const Phase& p, unsigned e0, unsigned tile, unsigned g) {
  return min(tile % p.parts * (p.n / p.parts) + e0 + tile / p.parts * 8 + g, p.n - 1);
}
// What a thread multiplies with: four neighbours in k of a column.
template <bool is_transposed>
__device__ __forceinline__ float4 factors(const Phase& p, unsigned column, unsigned k) {
  if (!is_transposed) return *(const float4*)(p.w + (unsigned long long)column * p.k + k);
  const float* w = p.w + (unsigned long long)k * p.n + column;
  return make_float4(w[0], w[p.n], w[2 * p.n], w[3 * p.n]);
}
// The columns of w that a block needs in every product with it, rounded, as threads will ask for them.
extern __shared__ uint4 slices[];
template <bool is_transposed>
__device__ void load(const Phase& p) {
  const unsigned chunks = p.k / 16, e0 = blockIdx.x * (p.tiles / p.parts * 8);
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  if (e0 >= p.n / p.parts) return;
  for (unsigned tile = 0; tile < p.tiles; ++tile) {
    const unsigned column = column_of(p, e0, tile, lane / 4);
#pragma unroll 8
    for (unsigned c = warp; c < chunks; c += warps)
      slices[p.slice + (tile * chunks + c) * 32 + lane] =
          rounded(factors<is_transposed>(p, column, c * 16 + lane % 4 * 4));
  }
  __syncthreads();
}
// half: there are no more than eight rows.
template <int heights, bool half, bool is_transposed, bool is_kept>
__device__ void tiles_of(const Phase& p, const Task& task, float* shared) {
  const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
  const unsigned size = p.n / p.parts, shares = warps / p.tiles, tile = warp % p.tiles, share = warp / p.tiles;
  float sum[heights][4] = {};
  if (share < shares) {
    const unsigned column = column_of(p, task.e0, tile, g);
    const float* upper[heights];
    const float* lower[heights];
    for (int t = 0; t < heights; ++t) {
      upper[t] = p.x + min(task.r0 + t * 16 + g, p.rows - 1) * p.x_stride + 4 * q + share * 16;
      lower[t] = p.x + min(task.r0 + t * 16 + g + 8, p.rows - 1) * p.x_stride + 4 * q + share * 16;
    }
    const unsigned step = shares * 16;
    const uint4* slice = slices + p.slice + (tile * (p.k / 16) + share) * 32 + lane;
#pragma unroll 8
    for (unsigned k = share * 16; k < p.k; k += step) {
      uint4 b;
      if (is_kept) {
        b = *slice;
        slice += shares * 32;
      } else {
        b = rounded(factors<is_transposed>(p, column, k + 4 * q));
      }
#pragma unroll
      for (int t = 0; t < heights; ++t) {
        const uint4 u = rounded(*(const float4*)upper[t]), l = half ? u : rounded(*(const float4*)lower[t]);
        upper[t] += step;
        lower[t] += step;
        multiply(sum[t], u.x, l.x, u.y, l.y, b.x, b.y);
        multiply(sum[t], u.z, l.z, u.w, l.w, b.z, b.w);
      }
    }
  }
  for (int t = 0; t < heights; ++t)
    for (int i = 0; i < 4; ++i)
      shared[((warp * heights + t) * 16 + g + i / 2 * 8) * 8 + 2 * q + i % 2] = sum[t][i];
  __syncthreads();
  constexpr unsigned of_tile = heights * 128;
  for (unsigned i = threadIdx.x; i < p.tiles * of_tile; i += blockDim.x) {
    const unsigned t = i / of_tile, at = i % of_tile, row = task.r0 + at / 8, e = task.e0 + t / p.parts * 8 + at % 8;
    if (row >= p.rows || e >= size) continue;
    float* out = p.out + row * p.out_stride + t % p.parts * size + e;
    float total = p.flags & adds ? *out : 0.f;
    for (unsigned s = 0; s < shares; ++s) total += shared[(s * p.tiles + t) * of_tile + at];
    *out = total;
  }
  __syncthreads();
}
template <bool is_transposed, bool is_kept, class Behind>
__device__ void fast_product(const Phase& p, float* shared, Behind behind) {
  const unsigned size = p.n / p.parts, width = p.tiles / p.parts * 8;
  const unsigned columns = (size + width - 1) / width, groups = (p.rows + 31) / 32;
  // Who keeps columns has these in all groups of rows.
  const unsigned first = is_kept ? blockIdx.x < columns ? blockIdx.x : ~0u : blockIdx.x;
  for (unsigned i = first; i < columns * groups; i += is_kept ? columns : gridDim.x) {
    const unsigned e0 = i % columns * width;
    const Task task = {i / columns * 32, e0, min(width, size - e0)};
    const unsigned left = p.rows - task.r0;
    if (left > 16)
      tiles_of<2, false, is_transposed, is_kept>(p, task, shared);
    else if (left > 8)
      tiles_of<1, false, is_transposed, is_kept>(p, task, shared);
    else
      tiles_of<1, true, is_transposed, is_kept>(p, task, shared);
    if (p.flags & with_run) behind(task);
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
    for (unsigned k = warp; k < p.k; k += blockDim.x / 32) {
      const float b = w[k * step];
#pragma unroll
      for (unsigned r = 0; r < 8; ++r) sum[r] += p.x[min(r0 + r, p.rows - 1) * p.x_stride + k] * b;
    }
    for (unsigned r = 0; r < 8; ++r) shared[(warp * 8 + r) * 32 + lane] = sum[r];
    __syncthreads();
    const unsigned row = r0 + warp;
    if (warp < 8 && row < p.rows && c < p.n) {
      float* out = p.out + row * p.out_stride + c;
      float total = p.flags & adds ? *out : 0.f;
      for (unsigned i = 0; i < blockDim.x / 32; ++i) total += shared[(i * 8 + warp) * 32 + lane];
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
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
    unsigned seen;
    do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
    while ((int)(seen - target) < 0);
  }
  __syncthreads();
}
)";

// How the kernel calls them.
constexpr std::string_view plain_calls = R"(    else if (p.kind == product_phase && !(p.flags & fast))
      plain_product(p, shared);
)";
constexpr std::string_view fast_calls = R"(    else if (p.kind == load_phase)
      p.flags & transposed ? load<true>(p) : load<false>(p);
    else if (p.flags & kept)
      fast_product<false, true>(p, shared, behind);
    else if (p.flags & transposed)
      fast_product<true, false>(p, shared, behind);
    else
      fast_product<false, false>(p, shared, behind);
)";

}  // namespace

std::string source(std::span<const Function> functions, Products products) {
  std::vector<const Run*> runs;
  for (const Function& f : functions) runs.push_back(f.run);
  std::string s = std::string(types_source) + "\n" + gather_source + rounding_source + "\n" + cuda_functions(runs);
  s += std::string(gathers) + std::string(task) + std::string(barrier);
  if (products.fast) s += fast_product;
  if (products.plain) s += plain_product;
  for (size_t i = 0; i < functions.size(); ++i)
    s += cuda_phase(*functions[i].run, functions[i].lanes, {functions[i].shadowed}, fmt::format("run_{}", i));
  s += "__device__ void run(int function, const Place& place, const Operand* operands,\n"
       "                    unsigned long long shadow) {\n  switch (function) {\n";
  for (size_t i = 0; i < functions.size(); ++i)
    s += fmt::format("    case {0}: run_{0}(place, operands, shadow); break;\n", i);
  s += "  }\n}\n";
  s += fmt::format(R"(
extern "C" __global__ void __launch_bounds__({}, 1) {}(
    const Phase* phases, unsigned count, float* base, const unsigned* sources, const unsigned* offsets,
    const Gather* gathers, const Operand* operands, unsigned first_operand, unsigned operand_count,
    unsigned* arrived, unsigned target, unsigned long long shadow) {{
  __shared__ float shared[4096];
  __shared__ Operand near[512];  // what all runs need, at hand
  if (operand_count <= 512) {{
    for (unsigned i = threadIdx.x; i < operand_count; i += blockDim.x) near[i] = operands[first_operand + i];
    operands = near;
  }} else {{
    operands += first_operand;
  }}
  __syncthreads();
  Phase p = phases[0];
  for (unsigned i = 0; i < count; ++i) {{
    const auto behind = [&](const Task& t) {{
      run(p.function, Place{{t.r0, min(p.rows, t.r0 + 32), t.e0, t.width, threadIdx.x, blockDim.x}}, operands + (p.first - first_operand), shadow);
      __syncthreads();
    }};
    if (p.kind == gather_phase)
      gather_all(p, base, sources, offsets, gathers, shadow);
    else if (p.kind == run_phase)
      run(p.function, Place{{0, p.rows, 0, ~0u, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x}},
          operands + (p.first - first_operand), shadow);
{}{}    if (i + 1 == count) return;
    const bool on = p.flags & goes_on;
    p = phases[i + 1];  // while others are waited for
    if (!on) meet(arrived, target += gridDim.x);
  }}
}}
)",
                   threads, kernel_name, products.plain ? plain_calls : "", products.fast ? fast_calls : "");
  return s;
}

}  // namespace espalier::walk
