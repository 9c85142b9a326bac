// Teams of threads of a device: a warp, a part of one, or a block. Sums are trees whose shape follows from the team's
// size alone, so that their bits are the same on every run, and the same in all threads of the team: a + b is b + a.
#pragma once
#include <limits>

#include "exec/cuda/op/pieces.h"

namespace espalier {

constexpr int warp_size = 32;

// Every `teams`-th thread of a warp, so that as many teams have their threads side by side, where their pieces are side
// by side in memory. Teams need not keep step with each other.
template <int teams = 1>
struct Warp {
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
  __device__ static int team() { return lane() % teams; }
  __device__ int rank() const { return lane() / teams; }
  __device__ int size() const { return warp_size / teams; }
  template <class T>
  __device__ T sum(T value) const {
    for (int apart = warp_size / 2; apart >= teams; apart /= 2) value += __shfl_xor_sync(members(), value, apart);
    return value;
  }
  __device__ float largest(float value) const {
    for (int apart = warp_size / 2; apart >= teams; apart /= 2)
      value = larger(value, __shfl_xor_sync(members(), value, apart));
    return value;
  }
  __device__ void wait() const { __syncwarp(members()); }

 private:
  __device__ static unsigned members() {
    unsigned bits = 0;
    for (int i = 0; i < warp_size; i += teams) bits |= 1u << i;
    return bits << team();
  }
};

// Of whole warps.
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
  // What warp i has, in thread i of each warp; `none` beyond the last warp.
  template <class T>
  __device__ T one_per_warp(T value, T none) const {
    __shared__ T parts[warp_size];
    const int lane = rank() % warp_size;
    if (lane == 0) parts[rank() / warp_size] = value;
    __syncthreads();
    value = lane < size() / warp_size ? parts[lane] : none;
    __syncthreads();  // the next to come writes
    return value;
  }
};

}  // namespace espalier
