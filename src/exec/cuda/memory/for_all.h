// One launch over the numbers of many arrays, whatever their sizes. What is to be done travels as the kernel's
// argument, so that nothing is copied to the device before it. For nvcc.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include <cuda_runtime.h>

#include "exec/cuda/check.h"

namespace espalier {

constexpr uint32_t for_all_threads = 256;

// Arrays of one launch: an Item has `n` numbers and whatever else f must know.
template <class Item>
struct Arrays {
  static constexpr uint32_t most = 100;
  Item item[most];
  uint32_t end[most];  // the block behind the last of each
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

// f.begin() in each thread, then f(item, i) for its part of i < item.n.
template <class Item, class F>
__global__ void __launch_bounds__(for_all_threads) for_all_in(const __grid_constant__ Arrays<Item> arrays, F f) {
  const uint32_t which = arrays.find(blockIdx.x), first = arrays.first(which);
  const Item item = arrays.item[which];
  const uint64_t stride = uint64_t{arrays.end[which] - first} * for_all_threads;
  f.begin();
  for (uint64_t i = uint64_t{blockIdx.x - first} * for_all_threads + threadIdx.x; i < item.n; i += stride) f(item, i);
}

// launch(arrays, blocks) for batches of all items that have numbers. How they are cut depends on their sizes alone.
template <class Item, class Launch>
void in_launches(std::span<const Item> items, Launch launch) {
  constexpr uint64_t per_block = uint64_t{for_all_threads} * 8, most_blocks = 4096;  // of an item; they go round
  Arrays<Item> arrays;
  arrays.count = 0;
  uint32_t blocks = 0;
  for (const Item& item : items) {
    if (item.n == 0) continue;
    blocks += static_cast<uint32_t>(std::min<uint64_t>((item.n + per_block - 1) / per_block, most_blocks));
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
