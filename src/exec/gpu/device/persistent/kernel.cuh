// The persistent kernel: runs phases first to first + count - 1. ESPALIER_FAST_PRODUCTS and ESPALIER_PLAIN_PRODUCTS
// select the kinds of products that are compiled: only those that the kernel needs.
#pragma once
#include "exec/gpu/device/persistent/access.cuh"
#include "exec/gpu/device/persistent/barrier.cuh"
#include "exec/gpu/device/persistent/fast_product.cuh"
#include "exec/gpu/device/persistent/gather.cuh"
#include "exec/gpu/device/persistent/plain_product.cuh"
#include "exec/gpu/device/persistent/state.cuh"

namespace espalier::persistent {

__device__ __forceinline__ void run_phase(unsigned warp) {
  const int kind = phase.kind;
  if (phase.gathers > 0) gather_all(kind == gather_phase ? warp : from_behind());
  if (kind == gather_phase) {
  } else if (kind == fused_phase)
    run(Place{0, phase.rows, 0, ~0u, warp * 32 + threadIdx.x % 32, gridDim.x * blockDim.x, 1, 0});
#if ESPALIER_PLAIN_PRODUCTS
  else if (kind == product_phase && !(phase.flags & fast))
    plain_product();
#endif
#if ESPALIER_FAST_PRODUCTS
  else if (kind == load_phase)
    load_weight();
  else
    fast_product([](const Task& t, unsigned of_tile) {
      run(Place{t.r0, min(phase.rows, t.r0 + 32), t.e0, t.width, threadIdx.x, blockDim.x, phase.parts, of_tile});
    });
#endif
}

// `arrived` counts the blocks at barriers; `target` is its value before the launch.
extern "C" __global__ void __launch_bounds__(threads, 1)
    espalier_persistent(const Arguments given, unsigned first, unsigned count, unsigned* arrived, unsigned target) {
  if (threadIdx.x == 0) {
    args = given;
    next_phase = given.phases[first];
  }
  __syncthreads();
  for (unsigned i = 0; i < count; ++i) {
    // The block loads the next phase while it waits for the other blocks.
    const bool waits = i > 0 && !(phase.flags & no_barrier);
    waits ? arrive(arrived) : __syncthreads();
    const unsigned word = load_phase_data(first + min(i + 1, count - 1));
    waits ? wait_for_all(arrived, target += gridDim.x) : __syncthreads();
    if (threadIdx.x < sizeof(Phase) / 4) ((unsigned*)&next_phase)[threadIdx.x] = word;
    run_phase(threadIdx.x / 32 * gridDim.x + blockIdx.x);  // neighbouring warps are in different blocks
  }
}

}  // namespace espalier::persistent
