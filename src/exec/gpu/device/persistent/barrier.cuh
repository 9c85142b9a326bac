// A barrier over all blocks of the grid. A cooperative launch makes them resident at once: each adds one to a counter
// and waits until all have.
#pragma once

namespace espalier::persistent {

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

}  // namespace espalier::persistent
