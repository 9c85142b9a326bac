#include <algorithm>

#include "exec/cuda/check.h"
#include "exec/cuda/launch/rows.h"
#include "exec/gpu/device/rounding.cuh"

namespace espalier {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned max_blocks = 1u << 20;
constexpr unsigned max_in_y = 65535;  // maximum number of blocks in the second dimension of a grid

unsigned blocks_for(int64_t n, int64_t each = threads) {
  return static_cast<unsigned>(std::min<int64_t>((n + each - 1) / each, max_blocks));
}

// The number of threads per row, four elements each: a power of two.
__host__ __device__ inline unsigned threads_of_row(unsigned size) {
  unsigned w = 1;
  while (w < threads && w * 4 < size) w *= 2;
  return w;
}
unsigned rows_of_block(unsigned size) { return threads / threads_of_row(size); }

__device__ inline bool even4(const void* a, const void* b) {
  return ((reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b)) & 15) == 0;
}

template <class V>
__device__ inline V plus(V a, V b);
template <>
__device__ inline float plus(float a, float b) {
  return a + b;
}
template <>
__device__ inline float4 plus(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Element e of the sum of rows from(0) to from(count - 1), in order, added to `sum` if has_sum. Keeps several loads in
// flight.
template <class V, class From>
__device__ inline V sum_at(From from, unsigned count, unsigned e, V sum, bool has_sum) {
  constexpr unsigned ahead = 8;
  for (unsigned k = 0; k < count; k += ahead) {
    V x[ahead];
#pragma unroll
    for (unsigned j = 0; j < ahead; ++j)
      if (k + j < count) x[j] = *reinterpret_cast<const V*>(from(k + j) + e);
#pragma unroll
    for (unsigned j = 0; j < ahead; ++j)
      if (k + j < count) sum = k + j == 0 && !has_sum ? x[j] : plus(sum, x[j]);
  }
  return sum;
}

// Writes the sum of the rows to `out`, or adds it if `adds`. Called by all `width` threads of a row; this is thread
// `lane`.
template <class From>
__device__ inline void sum_row(From from, unsigned count, float* out, unsigned size, unsigned lane, unsigned width,
                               bool adds, uint64_t bf16_copy = 0) {
  if (size % 4 == 0) {
    bool whole = even4(out, out);
    for (unsigned k = 0; k < count; ++k) whole = whole && even4(from(k), out);
    if (whole) {
      for (unsigned e = lane * 4; e < size; e += width * 4) {
        auto* const to = reinterpret_cast<float4*>(out + e);
        const float4 sum = sum_at<float4>(from, count, e, adds ? *to : make_float4(0, 0, 0, 0), adds);
        *to = sum;
        if (bf16_copy != 0) write_bf16<4>(out + e, &sum.x, bf16_copy);
      }
      return;
    }
  }
  for (unsigned e = lane; e < size; e += width) {
    const float sum = sum_at<float>(from, count, e, adds ? out[e] : 0.f, adds);
    out[e] = sum;
    if (bf16_copy != 0) write_bf16<1>(out + e, &sum, bf16_copy);
  }
}

__global__ void __launch_bounds__(threads)
    gather(float* base, const uint32_t* sources, const uint32_t* offsets, const Gather* gathers, uint64_t bf16_copy) {
  const Gather g = gathers[blockIdx.y];
  const unsigned width = threads_of_row(g.size), lane = threadIdx.x % width, each = threads / width;
  for (uint32_t row = blockIdx.x * each + threadIdx.x / width; row < g.rows; row += gridDim.x * each) {
    const bool summed = g.first_offset != ~uint32_t{0};
    const uint32_t begin = summed ? offsets[g.first_offset + row] : row;
    const uint32_t count = summed ? offsets[g.first_offset + row + 1] - begin : 1;
    const uint32_t* source = sources + g.first_source + begin;
    sum_row([&](unsigned k) { return base + static_cast<uint64_t>(source[k]) * unit; }, count,
            base + g.out + static_cast<uint64_t>(row) * g.stride, g.size, lane, width, false, bf16_copy);
  }
}

__global__ void __launch_bounds__(threads) table_sum(TableSum t) {
  const unsigned width = threads_of_row(t.size), lane = threadIdx.x % width, each = threads / width;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * each + threadIdx.x / width; i < t.rows;
       i += static_cast<int64_t>(gridDim.x) * each) {
    const uint64_t* source = t.source + t.offsets[i];
    const int64_t row = t.row != nullptr ? t.row[i] : i;
    sum_row([&](unsigned k) { return t.base + source[k]; }, t.offsets[i + 1] - t.offsets[i], t.out + row * t.size,
            t.size, lane, width, t.adds);
  }
}

__global__ void fill(float* base, const Fill* fills, size_t n) {
  for (size_t i = blockIdx.x * static_cast<size_t>(threads) + threadIdx.x; i < n; i += gridDim.x * size_t{threads})
    base[fills[i].offset] = static_cast<float>(fills[i].value);
}

__global__ void numbers(const int32_t* bits, int64_t rows, float* out, int64_t stride) {
  for (int64_t i = blockIdx.x * static_cast<int64_t>(threads) + threadIdx.x; i < rows;
       i += gridDim.x * int64_t{threads})
    out[i * stride] = __int_as_float(bits[i]);
}

// Rows are divided into stretches. A block of threads sums a stretch, one thread per column; then the sums of the
// stretches are summed the same way. So the order of a sum is fixed.
constexpr int64_t stretch = 64;

__global__ void column_sums(const float* data, int64_t stride, int64_t rows, int64_t size, bool adds, float* out) {
  const int64_t e = blockIdx.x * static_cast<int64_t>(threads) + threadIdx.x, begin = blockIdx.y * stretch;
  if (e >= size) return;
  const int64_t end = begin + stretch < rows ? begin + stretch : rows;
  float* to = out + blockIdx.y * size + e;
  float sum = adds ? *to : 0;
  for (int64_t row = begin; row < end; ++row) sum += data[row * stride + e];
  *to = sum;
}

__global__ void collect(const float* base, const Range* ranges, const uint64_t* begin, float* out) {
  const Range r = ranges[blockIdx.x];
  for (uint64_t e = threadIdx.x; e < r.size; e += threads) out[begin[blockIdx.x] + e] = base[r.offset + e];
}

}  // namespace

void cuda_gather(const GatherLaunch& l, cudaStream_t stream) {
  for (size_t first = 0; first < l.host.size(); first += max_in_y) {
    const std::span host = l.host.subspan(first, std::min<size_t>(l.host.size() - first, max_in_y));
    unsigned blocks = 0;
    for (const Gather& g : host)
      if (g.size > 0) blocks = std::max(blocks, blocks_for(g.rows, rows_of_block(g.size)));
    if (blocks == 0) continue;
    gather<<<dim3(blocks, static_cast<unsigned>(host.size())), threads, 0, stream>>>(l.base, l.sources, l.offsets,
                                                                                     l.gathers + first, l.bf16_copy);
    check(cudaGetLastError(), "gather");
  }
}

void cuda_table_sum(const TableSum& t, cudaStream_t stream) {
  if (t.rows == 0 || t.size == 0) return;
  table_sum<<<blocks_for(t.rows, rows_of_block(t.size)), threads, 0, stream>>>(t);
  check(cudaGetLastError(), "sum of a table's rows");
}

void cuda_fill(float* base, const Fill* fills, size_t n, cudaStream_t stream) {
  if (n == 0) return;
  fill<<<blocks_for(static_cast<int64_t>(n)), threads, 0, stream>>>(base, fills, n);
  check(cudaGetLastError(), "fill");
}

void cuda_numbers(const int32_t* bits, int64_t rows, float* out, int64_t stride, cudaStream_t stream) {
  if (rows == 0) return;
  numbers<<<blocks_for(rows), threads, 0, stream>>>(bits, rows, out, stride);
  check(cudaGetLastError(), "numbers of calls");
}

size_t column_sum_scratch(int64_t rows, int64_t size) {
  size_t n = 0;
  while (rows > stretch) {
    rows = (rows + stretch - 1) / stretch;
    n += static_cast<size_t>(rows * size);
  }
  return n;
}

void cuda_column_sum(const float* data, int64_t stride, int64_t rows, int64_t size, bool adds, float* scratch,
                     float* sum, cudaStream_t stream) {
  if (size == 0) return;
  const unsigned columns = static_cast<unsigned>((size + threads - 1) / threads);
  while (rows > stretch) {
    const int64_t items = (rows + stretch - 1) / stretch;
    for (int64_t first = 0; first < items; first += max_in_y) {
      const int64_t count = std::min<int64_t>(items - first, max_in_y);
      column_sums<<<dim3(columns, static_cast<unsigned>(count)), threads, 0, stream>>>(
          data + first * stretch * stride, stride, rows - first * stretch, size, false, scratch + first * size);
    }
    data = scratch;
    stride = size;
    rows = items;
    scratch += items * size;
  }
  column_sums<<<dim3(columns, 1), threads, 0, stream>>>(data, stride, rows, size, adds, sum);
  check(cudaGetLastError(), "sum of rows");
}

void cuda_collect(const float* base, const Range* ranges, const uint64_t* begin, size_t n, float* out,
                  cudaStream_t stream) {
  if (n == 0) return;
  collect<<<static_cast<unsigned>(n), threads, 0, stream>>>(base, ranges, begin, out);
  check(cudaGetLastError(), "reading rows");
}

}  // namespace espalier
