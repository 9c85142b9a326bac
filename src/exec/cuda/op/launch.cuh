// Launches the work items of an op, each for a thread, a warp or a block.
#pragma once
#include <algorithm>

#include "exec/cuda/check.h"
#include "exec/cuda/op/thread_group.cuh"

namespace espalier {

constexpr int block_threads = 256;
constexpr int max_block_threads = 1024;
constexpr int64_t max_blocks = 1 << 16;  // with more items, a block processes several

template <class P>
__global__ void __launch_bounds__(block_threads) by_thread(const __grid_constant__ P items, int64_t count) {
  const int64_t threads = int64_t{gridDim.x} * block_threads;
  for (int64_t i = int64_t{blockIdx.x} * block_threads + threadIdx.x; i < count; i += threads)
    if constexpr (ByGroup<P>)
      items(Alone{}, i);
    else
      items(i);
}

template <int groups, class P>
__global__ void __launch_bounds__(block_threads) by_warp(const __grid_constant__ P items, int64_t count) {
  constexpr int each = block_threads / warp_size * groups;
  const int64_t first = int64_t{blockIdx.x} * each + static_cast<int>(threadIdx.x) / warp_size * groups;
  for (int64_t i = first + Warp<groups>::group(); i < count; i += int64_t{gridDim.x} * each) items(Warp<groups>{}, i);
}

template <class P>
__global__ void __launch_bounds__(max_block_threads) by_block(const __grid_constant__ P items, int64_t count) {
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x) items(Block{}, i);
}

// `memory` is scratch for all blocks of the grid; null: each block uses its shared memory.
template <class P>
__global__ void __launch_bounds__(block_threads)
    by_block_with_scratch(const __grid_constant__ P items, int64_t count, double* memory) {
  extern __shared__ double shared[];
  double* const scratch = memory == nullptr ? shared : memory + blockIdx.x * items.scratch();
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x) items(Block{}, i, scratch);
}

inline unsigned blocks(int64_t items, int64_t per_block, int64_t most = max_blocks) {
  return static_cast<unsigned>(std::min((items + per_block - 1) / per_block, most));
}

// Scratch that does not fit into shared memory is allocated on the device while the kernel runs, for as many blocks as
// `budget` bytes allow.
template <class P>
void launch_with_scratch(const P& items, cudaStream_t stream, const char* what) {
  constexpr int64_t budget = int64_t{256} << 20;
  const int64_t bytes = items.scratch() * static_cast<int64_t>(sizeof(double));
  int device = 0, max_shared = 0;
  check(cudaGetDevice(&device), what);
  check(cudaDeviceGetAttribute(&max_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), what);
  if (bytes <= max_shared) {
    // An attribute of the function, not of the launch: all host threads set the same value.
    check(cudaFuncSetAttribute(by_block_with_scratch<P>, cudaFuncAttributeMaxDynamicSharedMemorySize, max_shared),
          what);
    const unsigned grid = blocks(items.count(), 1);
    by_block_with_scratch<<<grid, block_threads, static_cast<size_t>(bytes), stream>>>(items, items.count(), nullptr);
    return check(cudaGetLastError(), what);
  }
  const unsigned grid = blocks(items.count(), 1, std::max<int64_t>(budget / bytes, 1));
  void* memory = nullptr;
  if (const cudaError_t answer = cudaMallocAsync(&memory, static_cast<size_t>(grid * bytes), stream);
      answer != cudaSuccess) {
    cudaGetLastError();  // it is reported here, not by the next call
    throw DeviceError(std::string("cuda: ") + what + ": cannot allocate " + std::to_string(grid * bytes) +
                      " bytes of scratch memory: " + cudaGetErrorString(answer));
  }
  by_block_with_scratch<<<grid, block_threads, 0, stream>>>(items, items.count(), static_cast<double*>(memory));
  const cudaError_t launched = cudaGetLastError();
  check(cudaFreeAsync(memory, stream), what);
  check(launched, what);
}

// Gives an item as many threads as have work in it. Idle threads cost time only if there are enough items to fill the
// device. A warp processes eight interleaved items together, so that their loads are one memory transaction.
template <class P>
void launch_by_group(const P& items, cudaStream_t stream) {
  constexpr int64_t widest_of_warp = 1024, widest_of_block = 16 * 1024, fills_device = 1 << 19;  // threads
  constexpr int groups = 8, most = warp_size / groups;
  constexpr int64_t warps = block_threads / warp_size;
  const int64_t count = items.count(), width = items.width();
  const unsigned large = width > widest_of_block ? max_block_threads : block_threads;
  if (items.interleaved() && width >= most && count <= fills_device / most)
    by_warp<groups><<<blocks(count, warps * groups), block_threads, 0, stream>>>(items, count);
  else if (items.interleaved())
    by_thread<<<blocks(count, block_threads), block_threads, 0, stream>>>(items, count);
  else if (width > widest_of_warp)
    by_block<<<blocks(count, 1), large, 0, stream>>>(items, count);
  else if (width >= warp_size / 2 || (width > 1 && count <= fills_device / warp_size))
    by_warp<1><<<blocks(count, warps), block_threads, 0, stream>>>(items, count);
  else
    by_thread<<<blocks(count, block_threads), block_threads, 0, stream>>>(items, count);
}

// Enqueues the work, if there are items. `what` is the name of the op, for errors.
template <class P>
void launch(const P& items, cudaStream_t stream, const char* what) {
  const int64_t count = items.count();
  if (count == 0) return;
  if constexpr (WithScratch<P>)
    return launch_with_scratch(items, stream, what);
  else if constexpr (ByGroup<P>)
    launch_by_group(items, stream);
  else
    by_thread<<<blocks(count, block_threads), block_threads, 0, stream>>>(items, count);
  check(cudaGetLastError(), what);
}

}  // namespace espalier
