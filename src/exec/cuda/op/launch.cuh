// Runs the pieces of an op on a device, each by a thread, a warp or a block.
#pragma once
#include <algorithm>

#include "exec/cuda/check.h"
#include "exec/cuda/op/team.cuh"

namespace espalier {

constexpr int block_threads = 256;
constexpr int most_block_threads = 1024;
constexpr int64_t most_blocks = 1 << 16;  // each takes several pieces where there are more

template <class P>
__global__ void __launch_bounds__(block_threads) by_thread(const __grid_constant__ P pieces, int64_t count) {
  const int64_t threads = int64_t{gridDim.x} * block_threads;
  for (int64_t i = int64_t{blockIdx.x} * block_threads + threadIdx.x; i < count; i += threads)
    if constexpr (ByTeam<P>)
      pieces(Alone{}, i);
    else
      pieces(i);
}

template <int teams, class P>
__global__ void __launch_bounds__(block_threads) by_warp(const __grid_constant__ P pieces, int64_t count) {
  constexpr int each = block_threads / warp_size * teams;
  const int64_t first = int64_t{blockIdx.x} * each + static_cast<int>(threadIdx.x) / warp_size * teams;
  for (int64_t i = first + Warp<teams>::team(); i < count; i += int64_t{gridDim.x} * each) pieces(Warp<teams>{}, i);
}

template <class P>
__global__ void __launch_bounds__(most_block_threads) by_block(const __grid_constant__ P pieces, int64_t count) {
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x) pieces(Block{}, i);
}

// `memory`: scratch for each block of the grid; null where it is to be the block's shared memory.
template <class P>
__global__ void __launch_bounds__(block_threads)
    by_block_with_scratch(const __grid_constant__ P pieces, int64_t count, double* memory) {
  extern __shared__ double shared[];
  double* const scratch = memory == nullptr ? shared : memory + blockIdx.x * pieces.scratch();
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x) pieces(Block{}, i, scratch);
}

inline unsigned blocks(int64_t pieces, int64_t per_block, int64_t most = most_blocks) {
  return static_cast<unsigned>(std::min((pieces + per_block - 1) / per_block, most));
}

// Scratch that a block's shared memory cannot hold is taken from the device for as long as the kernel runs, for no more
// blocks than `budget` bytes allow.
template <class P>
void launch_with_scratch(const P& pieces, cudaStream_t stream, const char* what) {
  constexpr int64_t budget = int64_t{256} << 20;
  const int64_t bytes = pieces.scratch() * static_cast<int64_t>(sizeof(double));
  int device = 0, most_shared = 0;
  check(cudaGetDevice(&device), what);
  check(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), what);
  if (bytes <= most_shared) {
    // Of the function, not of the launch: the same for all threads that may set it.
    check(cudaFuncSetAttribute(by_block_with_scratch<P>, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared),
          what);
    const unsigned grid = blocks(pieces.count(), 1);
    by_block_with_scratch<<<grid, block_threads, static_cast<size_t>(bytes), stream>>>(pieces, pieces.count(), nullptr);
    return check(cudaGetLastError(), what);
  }
  const unsigned grid = blocks(pieces.count(), 1, std::max<int64_t>(budget / bytes, 1));
  void* memory = nullptr;
  if (const cudaError_t answer = cudaMallocAsync(&memory, static_cast<size_t>(grid * bytes), stream);
      answer != cudaSuccess) {
    cudaGetLastError();  // it is told here, and no more by what comes next
    throw DeviceError(std::string("cuda: ") + what + ": no " + std::to_string(grid * bytes) +
                      " bytes of device memory to work in: " + cudaGetErrorString(answer));
  }
  by_block_with_scratch<<<grid, block_threads, 0, stream>>>(pieces, pieces.count(), static_cast<double*>(memory));
  const cudaError_t launched = cudaGetLastError();
  check(cudaFreeAsync(memory, stream), what);
  check(launched, what);
}

// As many threads to a piece as have work in it. Where there are pieces enough to fill a device, idle threads cost;
// where there are not, they are free. Of interleaved pieces, eight are side by side: what memory gives at once.
template <class P>
void launch_by_team(const P& pieces, cudaStream_t stream) {
  constexpr int64_t widest_of_warp = 1024, widest_of_block = 16 * 1024, fills_device = 1 << 19;  // threads
  constexpr int teams = 8, most = warp_size / teams;
  constexpr int64_t warps = block_threads / warp_size;
  const int64_t count = pieces.count(), width = pieces.width();
  const unsigned large = width > widest_of_block ? most_block_threads : block_threads;
  if (pieces.interleaved() && width >= most && count <= fills_device / most)
    by_warp<teams><<<blocks(count, warps * teams), block_threads, 0, stream>>>(pieces, count);
  else if (pieces.interleaved())
    by_thread<<<blocks(count, block_threads), block_threads, 0, stream>>>(pieces, count);
  else if (width > widest_of_warp)
    by_block<<<blocks(count, 1), large, 0, stream>>>(pieces, count);
  else if (width >= warp_size / 2 || (width > 1 && count <= fills_device / warp_size))
    by_warp<1><<<blocks(count, warps), block_threads, 0, stream>>>(pieces, count);
  else
    by_thread<<<blocks(count, block_threads), block_threads, 0, stream>>>(pieces, count);
}

// Enqueues the work. Of no pieces there is none. `what`: the op's name, for errors.
template <class P>
void launch(const P& pieces, cudaStream_t stream, const char* what) {
  const int64_t count = pieces.count();
  if (count == 0) return;
  if constexpr (WithScratch<P>)
    return launch_with_scratch(pieces, stream, what);
  else if constexpr (ByTeam<P>)
    launch_by_team(pieces, stream);
  else
    by_thread<<<blocks(count, block_threads), block_threads, 0, stream>>>(pieces, count);
  check(cudaGetLastError(), what);
}

}  // namespace espalier
