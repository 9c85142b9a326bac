#include "exec/cuda/walk/source.h"

#include <fmt/format.h>

#include "exec/cuda/bf16/rounding.h"
#include "exec/cuda/compile/source.h"

namespace espalier::walk {
namespace {

// What a block needs to know for a phase lies in shared memory. It is brought there while the other blocks are waited
// for: it is what the host has sent, not what phases compute.
constexpr std::string_view near = R"(
__shared__ World world;
__shared__ Phase phase, next_phase;
__shared__ Part parts[most_parts];
__shared__ Term terms[most_terms];
__shared__ Operand operands[most_operands];
__shared__ const float* rows[most_terms][32];  // of each x, for the 32 rows at hand
__shared__ float sums[4096];
struct Task {
  unsigned r0, e0, width;  // the first row; the first column of each part, and how many of them
};
__device__ __forceinline__ unsigned columns_of(const Phase& p) {  // how many blocks share the columns
  const unsigned width = p.tiles / p.parts * 8;
  return (p.size + width - 1) / width;
}
__device__ __forceinline__ void bring_rows(const Phase& p, unsigned r0) {
  for (unsigned i = threadIdx.x; i < p.terms * 32; i += blockDim.x) {
    const Term& t = world.terms[p.first_term + i / 32];
    const unsigned row = min(r0 + i % 32, p.rows - 1), first_source = t.first_source;
    rows[i / 32][i % 32] = first_source == ~0u ? t.x + row * t.x_stride
                                               : world.base + 2ull * world.sources[first_source + row] + t.x_stride;
  }
}
template <class T>
__device__ __forceinline__ void copy(const T* from, T* to, unsigned count, unsigned thread) {
  for (unsigned i = thread; i < count * (sizeof(T) / 4); i += 128) ((unsigned*)to)[i] = ((const unsigned*)from)[i];
}
// The next phase: its description is there already. A word of the one behind it is on its way when this returns.
__device__ __forceinline__ unsigned bring(unsigned behind) {
  const Phase& p = next_phase;
  const unsigned i = threadIdx.x % 128, which = threadIdx.x / 128;
  unsigned word = 0;
  if (threadIdx.x < sizeof(Phase) / 4) {
    word = ((const unsigned*)(world.phases + behind))[threadIdx.x];
    ((unsigned*)&phase)[threadIdx.x] = ((const unsigned*)&next_phase)[threadIdx.x];
  }
  if (which == 1) copy(world.parts + p.first_part, parts, p.parts, i);
  if (which == 2) copy(world.terms + p.first_term, terms, p.terms, i);
  if (which == 3) copy(world.operands + p.first_operand, operands, p.operands, i);
  if (p.kind == product_phase && p.flags & fast) bring_rows(p, blockIdx.x / columns_of(p) * 32);
  return word;
}
)";

// All gathers of a phase side by side: a warp takes 128 elements of a row. `task` is the first that it takes.
constexpr std::string_view gathers = R"(
__device__ void gather_all(unsigned task) {
  const Phase& p = phase;
  const unsigned lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
  for (unsigned i = 0; i < p.gathers; ++i) {
    const Gather g = world.gathers[p.first_gather + i];
    const unsigned pieces = (g.size + 127) / 128, all = g.rows * pieces;
    for (; task < all; task += warps) {
      const unsigned row = task / pieces, e = task % pieces * 128 + lane * 4;
      const bool summed = g.first_offset != ~0u;
      const unsigned begin = summed ? world.offsets[g.first_offset + row] : row;
      const unsigned end = summed ? world.offsets[g.first_offset + row + 1] : row + 1;
      float* out = world.base + g.out + (unsigned long long)row * g.stride + e;
      if (e >= g.size) continue;
      float sum[4] = {0, 0, 0, 0};
      const unsigned width = min(g.size - e, 4u);
      for (unsigned k = begin; k < end; ++k) {
        const float* from = world.base + 2ull * world.sources[g.first_source + k] + e;
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
      if (world.shadow != 0)
        for (unsigned v = 0; v < width; ++v) write_shadow<1>(out + v, sum + v, world.shadow);
    }
    task -= all;  // the next gather's tasks follow
  }
}
// The warps that have nothing else to do come first.
__device__ __forceinline__ unsigned from_behind() {
  return (gridDim.x - 1 - blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
}
)";

// By tensor cores, factors rounded to tf32. A block takes 32 rows and p.tiles tiles of eight columns, as many of each
// part; what warps are left over share the sum over k. The order of k is not that of the instruction, but the same in
// both factors, so that a thread loads four neighbours. A run behind it needs column e of all parts, and finds it in
// shared memory. With few rows it is latency that takes the time: a warp has several loads on their way at once.
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
// What a thread multiplies with: four neighbours in k of a column.
__device__ __forceinline__ float4 factors(const Term& t, unsigned column, unsigned k, bool is_transposed) {
  if (!is_transposed) return *(const float4*)(t.w + (unsigned long long)column * t.w_stride + k);
  const float* w = t.w + (unsigned long long)k * t.w_stride + column;
  return make_float4(w[0], w[t.w_stride], w[2 * t.w_stride], w[3 * t.w_stride]);
}
__device__ __forceinline__ unsigned column_of(const Phase& p, unsigned e0, unsigned tile, unsigned g) {
  return min(e0 + tile / p.parts * 8 + g, p.size - 1);
}
// The columns of w that a block needs in every product with it, rounded, as threads will ask for them.
extern __shared__ uint4 slices[];
__device__ void load() {
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
// Chunks begin … end - 1 of a term. half: there are no more than eight rows.
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
    unsigned begin = share * each, end = min(begin + each, part.chunks);  // counted from the term's first chunk
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
    sums[t * of_tile + at] = total;  // for the run behind
  }
  __syncthreads();
}
template <class Behind>
__device__ void fast_product(Behind behind) {
  const Phase& p = phase;
  const unsigned width = p.tiles / p.parts * 8, columns = columns_of(p), groups = (p.rows + 31) / 32;
  // Tasks go from column to column, then from rows to rows. Who keeps columns has these in all its tasks.
  const unsigned together = p.flags & kept ? gridDim.x / columns * columns : gridDim.x;
  if (blockIdx.x >= together) return;
  for (unsigned i = blockIdx.x; i < columns * groups; i += together) {
    const unsigned e0 = i % columns * width;
    const Task task = {i / columns * 32, e0, min(width, p.size - e0)};
    if (i != blockIdx.x) {
      bring_rows(p, task.r0);
      __syncthreads();
    }
    const unsigned left = p.rows - task.r0;
    if (left > 16)
      tiles_of<2, false>(task);
    else if (left > 8)
      tiles_of<1, false>(task);
    else
      tiles_of<1, true>(task);
    if (p.flags & with_run) behind(task, left > 16 ? 256 : 128);
    __syncthreads();
  }
}
)";

// In f32, for any sizes: one part, of one term. A block takes 8 rows and 32 columns, its warps share the sum over k, a
// lane has a column.
constexpr std::string_view plain_product = R"(
__device__ void plain_product() {
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
)";

// All blocks are there at once (a cooperative launch): each adds one, and waits until all have.
constexpr std::string_view barrier = R"(
__device__ __forceinline__ void arrive(unsigned* arrived) {
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
}
__device__ __forceinline__ void wait_for_all(unsigned* arrived, unsigned target) {
  if (threadIdx.x == 0) {
    unsigned seen;
    do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
    while ((int)(seen - target) < 0);
  }
  __syncthreads();
}
)";

// How the kernel calls them.
constexpr std::string_view plain_calls = R"(    else if (kind == product_phase && !(phase.flags & fast))
      plain_product();
)";
constexpr std::string_view fast_calls = R"(    else if (kind == load_phase)
      load();
    else
      fast_product([](const Task& t, unsigned of_tile) {
        run(Place{t.r0, min(phase.rows, t.r0 + 32), t.e0, t.width, threadIdx.x, blockDim.x, phase.parts, of_tile});
      });
)";

// Where an operand's element e of `row` is read.
std::string loaded(size_t k, Access access, bool scalar) {
  const char* e = scalar ? "0" : "e";
  switch (access) {
    case Access::strided:
      return fmt::format("  const float a{0} = operands[{0}].data[row * operands[{0}].stride + {1}];\n", k, e);
    case Access::gathered:
      return fmt::format("  const float a{0} = gathered(operands[{0}], row, {1});\n", k, e);
    case Access::near:
      return fmt::format("  const float a{0} = near_of(place, operands[{0}], row, e);\n", k);
  }
  return {};
}
constexpr std::string_view access_source = R"(
__device__ __forceinline__ float gathered(const Operand& o, unsigned row, unsigned e) {
  const bool summed = o.first_offset != ~0u;
  const unsigned begin = summed ? world.offsets[o.first_offset + row] : row;
  const unsigned end = summed ? world.offsets[o.first_offset + row + 1] : row + 1;
  float sum = 0;
  for (unsigned k = begin; k < end; ++k) {
    const float x = world.base[2ull * world.sources[o.first_source + k] + o.stride + e];
    sum = k == begin ? x : sum + x;
  }
  return sum;
}
__device__ __forceinline__ float near_of(const Place& p, const Operand& o, unsigned row, unsigned e) {
  return sums[((e - p.e) / 8 * p.parts + o.first_source) * p.of_tile + (row - p.row) * 8 + (e - p.e) % 8];
}
)";

// A run as a function of the kernel; a thread computes an element.
std::string phase_of(const Function& function, const std::string& name) {
  const Run& run = *function.run;
  std::string s = fmt::format(
      "__device__ __forceinline__ void {0}(const Place& place) {{\n"
      "  const unsigned of_row = min(place.width, {1}u);\n"
      "  for (unsigned i = place.first; i < (place.end - place.row) * of_row; i += place.threads) {{\n"
      "  const unsigned row = place.row + i / of_row, e = place.e + i % of_row;\n",
      name, run.size);
  for (size_t k = 0; k < run.in.size(); ++k) s += loaded(k, function.access[k], run.in[k].scalar);
  s += cuda_code(run);
  for (size_t k = 0; k < run.out.size(); ++k) {
    s += fmt::format("  float* const y{0} = operands[{1}].data + row * operands[{1}].stride + e;\n  *y{0} = r{2};\n", k,
                     run.in.size() + k, run.out[k].reg);
    if ((function.shadowed >> std::min<size_t>(k, 63) & 1) != 0)
      s += fmt::format("  write_shadow<1>(y{0}, &r{1}, world.shadow);\n", k, run.out[k].reg);
  }
  return s + "  }\n}\n";
}

}  // namespace

std::string source(std::span<const Function> functions, Products products) {
  std::vector<const Run*> runs;
  for (const Function& f : functions) runs.push_back(f.run);
  std::string s = std::string(gather_source) + types_source +
                  fmt::format("\nenum {{ most_parts = {}, most_terms = {}, most_operands = {} }};\n", most_parts,
                              most_terms, most_operands);
  s += std::string(rounding_source) + "\n" + cuda_functions(runs);
  for (const std::string_view part : {near, gathers, barrier, access_source}) s += part;
  for (size_t i = 0; i < functions.size(); ++i) s += phase_of(functions[i], fmt::format("run_{}", i));
  s += "__device__ void run(const Place& place) {\n  switch (phase.function) {\n";
  for (size_t i = 0; i < functions.size(); ++i) s += fmt::format("    case {0}: run_{0}(place); break;\n", i);
  s += "  }\n}\n";
  if (products.fast) s += fast_product;
  if (products.plain) s += plain_product;
  s += fmt::format(R"(
extern "C" __global__ void __launch_bounds__({}, 1) {}(const World given, unsigned first, unsigned count,
                                                       unsigned* arrived, unsigned target) {{
  if (threadIdx.x == 0) {{
    world = given;
    next_phase = given.phases[first];
  }}
  __syncthreads();
  for (unsigned i = 0; i < count; ++i) {{
    // While others are waited for, the next phase is brought near.
    const bool meets = i > 0 && !(phase.flags & goes_on);
    meets ? arrive(arrived) : __syncthreads();
    const unsigned word = bring(first + min(i + 1, count - 1));
    meets ? wait_for_all(arrived, target += gridDim.x) : __syncthreads();
    if (threadIdx.x < sizeof(Phase) / 4) ((unsigned*)&next_phase)[threadIdx.x] = word;
    const unsigned warp = threadIdx.x / 32 * gridDim.x + blockIdx.x;  // neighbours in different blocks
    const int kind = phase.kind;
    if (phase.gathers > 0) gather_all(kind == gather_phase ? warp : from_behind());
    if (kind == gather_phase) {{
    }} else if (kind == run_phase)
      run(Place{{0, phase.rows, 0, ~0u, warp * 32 + threadIdx.x % 32, gridDim.x * blockDim.x, 1, 0}});
{}{}  }}
}}
)",
                   threads, kernel_name, products.plain ? plain_calls : "", products.fast ? fast_calls : "");
  return s;
}

}  // namespace espalier::walk
