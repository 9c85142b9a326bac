// How a kernel rounds to bf16 and where it puts it: written once, as CUDA and as text for kernels that are printed. The
// shadow of an arena holds at element i the rounded element i, so that an address in it is half of one in the arena
// plus a number, which kernels are given; 0: there is no shadow.
#pragma once
#include <cstdint>

namespace espalier {

#ifdef __CUDACC__
#define ESPALIER_CUDA_AND_TEXT(name, ...) \
  __VA_ARGS__                             \
  inline constexpr char name[] = #__VA_ARGS__;
#else
#define ESPALIER_CUDA_AND_TEXT(name, ...) inline constexpr char name[] = #__VA_ARGS__;
#endif

// clang-format off
ESPALIER_CUDA_AND_TEXT(rounding_source,
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
  __device__ __forceinline__ void* shadow_of(const float* p, unsigned long long shadow) {
    return (void*)((unsigned long long)p / 2 + shadow);
  }
  template <int lanes>
  __device__ __forceinline__ void write_shadow(const float* p, const float* x, unsigned long long shadow) {
    void* const to = shadow_of(p, shadow);
    if (lanes == 4)
      *(uint2*)to = make_uint2(round_bf16(x[0], x[1]), round_bf16(x[2], x[3]));
    else if (lanes == 2)
      *(unsigned*)to = round_bf16(x[0], x[1]);
    else
      *(unsigned short*)to = round_bf16(x[0]);
  }
)
// clang-format on

#undef ESPALIER_CUDA_AND_TEXT

}  // namespace espalier
