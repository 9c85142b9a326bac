// Rounds to bf16 and writes the bf16 copy of an arena. Element i of the copy is element i of the arena, rounded, so the
// address of a copied element is half the address of the element plus a constant. Kernels receive this constant as
// `bf16_copy`; 0 means that there is no copy.
#pragma once

namespace espalier {

__device__ __forceinline__ unsigned short round_bf16(float x) {
  unsigned short y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ unsigned round_bf16(float low, float high) {
  unsigned y;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
  return y;
}
__device__ __forceinline__ void* bf16_of(const float* p, unsigned long long bf16_copy) {
  return (void*)((unsigned long long)p / 2 + bf16_copy);
}
// Rounds x[0] to x[lanes - 1], the elements at p, into the copy.
template <int lanes>
__device__ __forceinline__ void write_bf16(const float* p, const float* x, unsigned long long bf16_copy) {
  void* const to = bf16_of(p, bf16_copy);
  if (lanes == 4)
    *(uint2*)to = make_uint2(round_bf16(x[0], x[1]), round_bf16(x[2], x[3]));
  else if (lanes == 2)
    *(unsigned*)to = round_bf16(x[0], x[1]);
  else
    *(unsigned short*)to = round_bf16(x[0]);
}

}  // namespace espalier
