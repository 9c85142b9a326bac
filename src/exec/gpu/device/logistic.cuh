// The logistic function, which CUDA's math library lacks.
#pragma once

namespace espalier {

__device__ __forceinline__ float logistic(float x) {
  const float e = expf(-fabsf(x));  // never overflows, and stays accurate where the result is near 0
  return (x >= 0.f ? 1.f : e) / (1.f + e);
}

}  // namespace espalier
