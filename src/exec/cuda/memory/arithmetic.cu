#include "exec/cuda/memory/arithmetic.h"

#include <vector>

#include "exec/cuda/memory/for_all.h"
#include "tensor/clip.h"

namespace espalier {
namespace {

struct Array {
  float* data;
  uint64_t n;
};
struct ConstArray {
  const float* data;
  uint64_t n;
};
struct RowSums {
  const float* a;
  const float* b;
  const int32_t* rows;
  const DeviceMemory::RowPair* pairs;
  uint64_t width;
  float* to;
  uint64_t n;  // elements
};

template <class To, class From>
std::vector<To> made_of(std::span<const std::span<From>> all) {
  std::vector<To> made;
  made.reserve(all.size());
  for (const auto& one : all) made.push_back({one.data(), one.size()});
  return made;
}

struct FillAll {
  float value;
  __device__ void begin() {}
  __device__ void operator()(const Array& a, uint64_t i) const { a.data[i] = value; }
};
struct AddAll {
  __device__ void begin() {}
  __device__ void operator()(const DeviceMemory::Sum& s, uint64_t i) const { s.to[i] += s.from[i]; }
};
struct ScaleAll {
  const double* sum_of_squares;  // null: scale by `by`; otherwise clip the norm to `by`
  float by;
  __device__ void begin() {
    if (sum_of_squares != nullptr) by = clip_factor(*sum_of_squares, by);
  }
  __device__ void operator()(const Array& a, uint64_t i) const { a.data[i] *= by; }
};
struct AddRows {
  __device__ void begin() {}
  __device__ void operator()(const RowSums& r, uint64_t i) const {
    r.to[static_cast<uint64_t>(r.rows[i / r.width]) * r.width + i % r.width] += r.a[i];
  }
};
struct MergeRows {
  __device__ void begin() {}
  __device__ void operator()(const RowSums& r, uint64_t i) const {
    const DeviceMemory::RowPair pair = r.pairs[i / r.width];
    const uint64_t k = i % r.width;
    float sum = pair.a < 0 ? 0.f : r.a[static_cast<uint64_t>(pair.a) * r.width + k];
    if (pair.b >= 0) sum += r.b[static_cast<uint64_t>(pair.b) * r.width + k];
    r.to[i] = sum;
  }
};

template <class Item, class F>
void for_one(const Item& item, const F& f, const char* what, cudaStream_t stream) {
  for_all(std::span<const Item>(&item, 1), f, what, stream);
}

// The sum over a block, in thread 0, in a fixed order.
__device__ double sum_in_block(double mine) {
  __shared__ double sums[for_all_threads];
  sums[threadIdx.x] = mine;
  for (uint32_t half = for_all_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  return sums[0];
}

__global__ void __launch_bounds__(for_all_threads)
    squares_in(const __grid_constant__ Arrays<ConstArray> arrays, double* sums) {
  const uint32_t which = arrays.find(blockIdx.x), first = arrays.first(which);
  const ConstArray a = arrays.item[which];
  const uint64_t stride = uint64_t{arrays.end[which] - first} * for_all_threads;
  double mine = 0;
  for (uint64_t i = uint64_t{blockIdx.x - first} * for_all_threads + threadIdx.x; i < a.n; i += stride) {
    const double x = static_cast<double>(a.data[i]);
    mine += x * x;
  }
  const double sum = sum_in_block(mine);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(for_all_threads) sum_up(const double* sums, uint64_t n, double* sum) {
  double mine = 0;
  for (uint64_t i = threadIdx.x; i < n; i += for_all_threads) mine += sums[i];
  const double total = sum_in_block(mine);
  if (threadIdx.x == 0) *sum = total;
}

}  // namespace

void cuda_fill(float* to, size_t n, float value, cudaStream_t stream) {
  for_one(Array{to, n}, FillAll{value}, "filling", stream);
}
void cuda_add(std::span<const DeviceMemory::Sum> sums, cudaStream_t stream) {
  for_all(sums, AddAll{}, "adding gradients", stream);
}
void cuda_scale(std::span<const std::span<float>> all, float factor, cudaStream_t stream) {
  for_all(std::span<const Array>(made_of<Array>(all)), ScaleAll{nullptr, factor}, "scaling gradients", stream);
}
void cuda_clip(std::span<const std::span<float>> all, const double* sum_of_squares, float limit, cudaStream_t stream) {
  for_all(std::span<const Array>(made_of<Array>(all)), ScaleAll{sum_of_squares, limit}, "clipping gradients", stream);
}

size_t sum_of_squares_scratch(std::span<const std::span<const float>> all) {
  size_t n = 0;
  in_launches(std::span<const ConstArray>(made_of<ConstArray>(all)),
              [&](const auto&, uint32_t blocks) { n += blocks; });
  return n;
}
void cuda_sum_of_squares(std::span<const std::span<const float>> all, double* scratch, double* sum,
                         cudaStream_t stream) {
  uint64_t n = 0;
  in_launches(std::span<const ConstArray>(made_of<ConstArray>(all)),
              [&](const Arrays<ConstArray>& arrays, uint32_t blocks) {
                squares_in<<<blocks, for_all_threads, 0, stream>>>(arrays, scratch + n);
                check(cudaGetLastError(), "the norm of gradients");
                n += blocks;
              });
  sum_up<<<1, for_all_threads, 0, stream>>>(scratch, n, sum);
  check(cudaGetLastError(), "the norm of gradients");
}

void cuda_add_rows(const float* from, const int32_t* rows, size_t n, size_t width, float* to, cudaStream_t stream) {
  for_one(RowSums{from, nullptr, rows, nullptr, width, to, n * width}, AddRows{}, "adding rows of gradients", stream);
}
void cuda_merge_rows(const float* a, const float* b, const DeviceMemory::RowPair* pairs, size_t n, size_t width,
                     float* to, cudaStream_t stream) {
  for_one(RowSums{a, b, nullptr, pairs, width, to, n * width}, MergeRows{}, "merging rows of gradients", stream);
}

}  // namespace espalier
