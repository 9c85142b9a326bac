#include "exec/cuda/check.h"

namespace espalier {
namespace {

// Errors of kernels, which CUDA reports on a later call.
bool by_a_kernel(cudaError_t answer) {
  switch (answer) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorAssert:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string how_to_find(cudaError_t answer) {
  if (!by_a_kernel(answer)) return {};
  return "; the cause is this launch or an earlier one: set CUDA_LAUNCH_BLOCKING=1 to find out which";
}

void cuda_failed(cudaError_t answer, const char* what) {
  cudaGetLastError();  // or the next call would report it
  std::string text = std::string("cuda: ") + what + ": " + cudaGetErrorString(answer) + how_to_find(answer);
  if (answer == cudaErrorMemoryAllocation) text += "; " + free_memory();
  throw DeviceError(text);
}

std::string amount(size_t bytes) {
  constexpr size_t mib = size_t{1} << 20;
  return bytes < mib ? std::to_string(bytes) + " bytes" : std::to_string((bytes + mib / 2) / mib) + " MiB";
}

std::string free_memory() {
  size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) {
    cudaGetLastError();
    return "the free memory is unknown";
  }
  return amount(free) + " of " + amount(total) + " are free";
}

void give_back_unused() noexcept {
  int device = 0;
  cudaMemPool_t pool = nullptr;
  // Memory is free only when the stream has reached its release.
  if (cudaDeviceSynchronize() == cudaSuccess && cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess)
    cudaMemPoolTrimTo(pool, 0);
  cudaGetLastError();
}

void* allocate_on_device(size_t bytes, const char* what) {
  void* memory = nullptr;
  cudaError_t answer = cudaMalloc(&memory, bytes);
  if (answer == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    give_back_unused();
    answer = cudaMalloc(&memory, bytes);
  }
  if (answer == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw DeviceError(std::string("cuda: ") + what + ": " + amount(bytes) + " are needed, and " + free_memory());
  }
  check(answer, what);
  return memory;
}

}  // namespace espalier
