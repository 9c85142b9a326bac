// Checks of CUDA calls: a failure becomes a DeviceError.
#pragma once
#include <cstddef>
#include <string>

#include <cuda_runtime_api.h>
#include <espalier/base/error.h>

namespace espalier {

// A hint how to find the failing kernel, for errors that CUDA reports on a later call; otherwise empty.
std::string how_to_find(cudaError_t answer);

[[noreturn]] void cuda_failed(cudaError_t answer, const char* what);

inline void check(cudaError_t answer, const char* what) {
  if (answer != cudaSuccess) cuda_failed(answer, what);
}

std::string amount(size_t bytes);  // "12 MiB"
std::string free_memory();         // "12 MiB of 81000 MiB are free", of the current device
void give_back_unused() noexcept;  // frees unused memory of the pool; waits for the current device

// Allocates memory on the current device; frees unused memory of the pool if necessary. DeviceError states what was
// requested and what is free.
void* allocate_on_device(size_t bytes, const char* what);

}  // namespace espalier
