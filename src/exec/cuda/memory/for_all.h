// One launch over the elements of many arrays of any sizes. The arrays are described by the kernel's argument, so that
// nothing is copied to the device first. For nvcc only.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include <cuda_runtime.h>

#include "exec/cuda/check.h"

namespace espalier {

constexpr uint32_t for_all_threads = 256;

// The arrays of one launch. An Item has `n` elements, and further members that f reads.
template <class Item>
struct Arrays {
  static constexpr uint32_t most = 100;
  Item item[most];
  uint32_t end[most];  // one past the last block of each
  uint32_t count;

  __device__ uint32_t find(uint32_t block) const {
    uint32_t low = 0, high = count - 1;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (block < end[middle])
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
  __device__ uint32_t first(uint32_t which) const { return which > 0 ? end[which - 1] : 0; }
};

// Calls f.begin() in each thread, then f(item, i) for each i < item.n, divided among threads.
template <class Item, class F>
__global__ void __launch_bounds__(for_all_threads) for_all_in(const __grid_constant__ Arrays<Item> arrays, F f) {
  const uint32_t which = arrays.find(blockIdx.x), first = arrays.first(which);
  const Item item = arrays.item[which];
  const uint64_t stride = uint64_t{arrays.end[which] - first} * for_all_threads;
  f.begin();
  for (uint64_t i = uint64_t{blockIdx.x - first} * for_all_threads + threadIdx.x; i < item.n; i += stride) f(item, i);
}

// Calls launch(arrays, blocks) for batches of the non-empty items. The division depends only on their sizes.
template <class Item, class Launch>
void in_launches(std::span<const Item> items, Launch launch) {
  constexpr uint64_t per_block = uint64_t{for_all_threads} * 8, max_blocks = 4096;  // per item; threads loop
  Arrays<Item> arrays;
  arrays.count = 0;
  uint32_t blocks = 0;
  for (const Item& item : items) {
    if (item.n == 0) continue;
    blocks += static_cast<uint32_t>(std::min<uint64_t>((item.n + per_block - 1) / per_block, max_blocks));
    arrays.item[arrays.count] = item;
    arrays.end[arrays.count] = blocks;
    if (++arrays.count < arrays.most) continue;
    launch(arrays, blocks);
    arrays.count = blocks = 0;
  }
  if (arrays.count > 0) launch(arrays, blocks);
}

template <class Item, class F>
void for_all(std::span<const Item> items, const F& f, const char* what, cudaStream_t stream) {
  in_launches(items, [&](const Arrays<Item>& arrays, uint32_t blocks) {
    for_all_in<<<blocks, for_all_threads, 0, stream>>>(arrays, f);
    check(cudaGetLastError(), what);
  });
}

}  // namespace espalier
