// Every answer of CUDA is looked at; what failed is told in words.
#pragma once
#include <string>

#include <cuda_runtime_api.h>
#include <espalier/base/error.h>

namespace espalier {

inline void check(cudaError_t answer, const char* what) {
  if (answer == cudaSuccess) return;
  cudaGetLastError();  // so that the next call, which may be sound, does not find it
  throw DeviceError(std::string("cuda: ") + what + ": " + cudaGetErrorString(answer));
}

}  // namespace espalier
