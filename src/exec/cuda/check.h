// Every answer of CUDA is looked at; what failed is told in words.
#pragma once
#include <cstddef>
#include <string>

#include <cuda_runtime_api.h>
#include <espalier/base/error.h>

namespace espalier {

// What a kernel does wrong is found by a later call: then how to find out which one did; else nothing.
std::string how_to_find(cudaError_t answer);

[[noreturn]] void cuda_failed(cudaError_t answer, const char* what);

inline void check(cudaError_t answer, const char* what) {
  if (answer != cudaSuccess) cuda_failed(answer, what);
}

std::string amount(size_t bytes);  // "12 MiB"
std::string free_memory();         // "12 MiB of 81000 MiB are free", of the device in use
void give_back_unused() noexcept;  // memory that the pool of numbers keeps for later; waits for the device in use

// Memory of the device in use, after the pool has given back what it keeps unused, if need be. DeviceError that names
// what was asked for, and what is free.
void* allocate_on_device(size_t bytes, const char* what);

}  // namespace espalier
