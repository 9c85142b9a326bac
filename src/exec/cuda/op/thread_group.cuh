// Groups of threads on a device: a warp, a part of a warp, or a block. A sum is a tree whose shape depends only on the
// size of the group, so that its bits are the same in every run and, because a + b equals b + a, in all threads.
#pragma once
#include <limits>

#include "exec/gpu/op/work_items.h"

namespace espalier {

constexpr int warp_size = 32;

// Every `groups`-th thread of a warp: neighbouring threads belong to different groups, whose items are neighbours in
// memory. Groups of a warp may diverge.
template <int groups = 1>
struct Warp {
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
  __device__ static int group() { return lane() % groups; }
  __device__ int rank() const { return lane() / groups; }
  __device__ int size() const { return warp_size / groups; }
  template <class T>
  __device__ T sum(T value) const {
    for (int apart = warp_size / 2; apart >= groups; apart /= 2) value += __shfl_xor_sync(members(), value, apart);
    return value;
  }
  __device__ float largest(float value) const {
    for (int apart = warp_size / 2; apart >= groups; apart /= 2)
      value = larger(value, __shfl_xor_sync(members(), value, apart));
    return value;
  }
  __device__ void wait() const { __syncwarp(members()); }

 private:
  __device__ static unsigned members() {
    unsigned bits = 0;
    for (int i = 0; i < warp_size; i += groups) bits |= 1u << i;
    return bits << group();
  }
};

// A block of whole warps.
struct Block {
  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ int size() const { return static_cast<int>(blockDim.x); }
  template <class T>
  __device__ T sum(T value) const {
    const Warp<> warp;
    return warp.sum(one_per_warp(warp.sum(value), T(0)));
  }
  __device__ float largest(float value) const {
    const Warp<> warp;
    return warp.largest(one_per_warp(warp.largest(value), -std::numeric_limits<float>::infinity()));
  }
  __device__ void wait() const { __syncthreads(); }

 private:
  // Returns the value of warp i in thread i of each warp, and `none` beyond the last warp.
  template <class T>
  __device__ T one_per_warp(T value, T none) const {
    __shared__ T parts[warp_size];
    const int lane = rank() % warp_size;
    if (lane == 0) parts[rank() / warp_size] = value;
    __syncthreads();
    value = lane < size() / warp_size ? parts[lane] : none;
    __syncthreads();  // before the next call writes
    return value;
  }
};

}  // namespace espalier
