// Every answer of CUDA is looked at; what failed is told in words.
#pragma once
#include <string>

#include <cuda_runtime_api.h>
#include <espalier/base/error.h>

namespace espalier {

inline void check(cudaError_t answer, const char* what) {
  if (answer != cudaSuccess) throw DeviceError(std::string("cuda: ") + what + ": " + cudaGetErrorString(answer));
}

}  // namespace espalier
