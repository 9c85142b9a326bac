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

// By tensor cores, factors rounded to tf32. A block takes 64 rows and p.tiles tiles of eight columns; what warps are
// left over share the sum over k. The order of k is not that of the instruction, but the same in both factors, so that
// a thread loads four neighbours. A run behind it, over size = n / parts elements, needs column e of all parts: the
// block takes the same columns of each.
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
struct Task {
  unsigned r0, e0, width;  // the first row; the first column of each part, and how many of them
};
// What thread (g, q) of a warp multiplies with in columns of a tile: four neighbours in k.
template <bool is_transposed>
__device__ __forceinline__ float4 factors(const Phase& p, unsigned e0, unsigned tile, unsigned g, unsigned k) {
  const unsigned size = p.n / p.parts, column = min(tile % p.parts * size + e0 + tile / p.parts * 8 + g, p.n - 1);
  if (!is_transposed) return *(const float4*)(p.w + (unsigned long long)column * p.k + k);
  const float* w = p.w + (unsigned long long)k * p.n + column;
  return make_float4(w[0], w[p.n], w[2 * p.n], w[3 * p.n]);
}
// The columns of w that a block needs in every product with it, as threads will ask for them.
extern __shared__ float4 slices[];
template <bool is_transposed>
__device__ void load(const Phase& p) {
  const unsigned chunks = p.k / 16, e0 = blockIdx.x * (p.tiles / p.parts * 8);
  if (e0 >= p.n / p.parts) return;
  for (unsigned i = threadIdx.x; i < p.tiles * chunks * 32; i += blockDim.x)
    slices[p.slice + i] =
        factors<is_transposed>(p, e0, i / 32 / chunks, i % 32 / 4, i / 32 % chunks * 16 + i % 4 * 4);
  __syncthreads();
}
template <int heights, bool is_transposed>
__device__ void tiles_of(const Phase& p, const Task& task, float* shared) {
  const unsigned size = p.n / p.parts, shares = 8 / p.tiles;
  const unsigned warp = threadIdx.x / 32, tile = warp % p.tiles, share = warp / p.tiles;
  const unsigned g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
  float sum[heights][4] = {};
  if (share < shares) {
    const float* upper[heights];
    const float* lower[heights];
    for (int t = 0; t < heights; ++t) {
      upper[t] = p.x + min(task.r0 + t * 16 + g, p.rows - 1) * p.x_stride + 4 * q;
      lower[t] = p.x + min(task.r0 + t * 16 + g + 8, p.rows - 1) * p.x_stride + 4 * q;
    }
#pragma unroll(heights == 1 ? 8 : 4)
    for (unsigned k = share * 16; k < p.k; k += shares * 16) {
      const float4 b = p.flags & kept ? slices[p.slice + (tile * (p.k / 16) + k / 16) * 32 + threadIdx.x % 32]
                                      : factors<is_transposed>(p, task.e0, tile, g, k + 4 * q);
#pragma unroll
      for (int t = 0; t < heights; ++t) {
        const float4 u = *(const float4*)(upper[t] + k), l = *(const float4*)(lower[t] + k);
        multiply(sum[t], u.x, l.x, u.y, l.y, b.x, b.y);
        multiply(sum[t], u.z, l.z, u.w, l.w, b.z, b.w);
      }
    }
  }
  for (int t = 0; t < heights; ++t)
    for (int i = 0; i < 4; ++i)
      shared[((warp * heights + t) * 16 + g + i / 2 * 8) * 8 + 2 * q + i % 2] = sum[t][i];
  __syncthreads();
  const unsigned of_tile = heights * 128;
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
template <bool is_transposed, class Behind>
__device__ void fast_product(const Phase& p, float* shared, Behind behind) {
  const unsigned size = p.n / p.parts, width = p.tiles / p.parts * 8;
  const unsigned columns = (size + width - 1) / width, groups = (p.rows + 63) / 64;
  for (unsigned i = blockIdx.x; i < columns * groups; i += gridDim.x) {
    const Task task = {i / columns * 64, i % columns * width, min(width, size - i % columns * width)};
    const unsigned left = p.rows - task.r0;
    if (left > 32)
      tiles_of<4, is_transposed>(p, task, shared);
    else if (left > 16)
      tiles_of<2, is_transposed>(p, task, shared);
    else
      tiles_of<1, is_transposed>(p, task, shared);
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
  s += "__device__ void run(int function, const Place& place, const Operand* operands) {\n  switch (function) {\n";
  for (size_t i = 0; i < functions.size(); ++i) s += fmt::format("    case {0}: run_{0}(place, operands); break;\n", i);
  s += "  }\n}\n";
  s += fmt::format(R"(
extern "C" __global__ void __launch_bounds__({}, 1) {}(
    const Phase* phases, unsigned count, float* base, const unsigned* sources, const unsigned* offsets,
    const Gather* gathers, const Operand* operands, unsigned* arrived, unsigned target) {{
  __shared__ float shared[4096];
  Phase p = phases[0];
  for (unsigned i = 0; i < count; ++i) {{
    const auto behind = [&](const Task& t) {{
      run(p.function, Place{{t.r0, min(p.rows, t.r0 + 64), t.e0, t.width, threadIdx.x, blockDim.x}}, operands + p.first);
      __syncthreads();
    }};
    if (p.kind == gather_phase)
      gather_all(p, base, sources, offsets, gathers);
    else if (p.kind == run_phase)
      run(p.function, Place{{0, p.rows, 0, ~0u, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x}},
          operands + p.first);
    else if (p.kind == load_phase)
      p.flags & transposed ? load<true>(p) : load<false>(p);
    else if (!(p.flags & fast))
      plain_product(p, shared);
    else if (p.flags & transposed)
      fast_product<true>(p, shared, behind);
    else
      fast_product<false>(p, shared, behind);
    if (i + 1 == count) return;
    const bool on = p.flags & goes_on;
    p = phases[i + 1];  // while others are waited for
    if (!on) meet(arrived, target += gridDim.x);
  }}
}}
)",
                   threads, kernel_name);
  return s;
}

}  // namespace espalier::walk
