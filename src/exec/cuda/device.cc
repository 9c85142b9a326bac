#include "exec/cuda/device.h"

#include <map>
#include <memory>
#include <mutex>

#include <espalier/tensor/tensor.h>
#include "exec/cuda/check.h"
#include "exec/cuda/memory/cuda_memory.h"

namespace espalier {

CudaDevice& CudaDevice::open(int index) {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<CudaDevice>> opened;  // never closed
  const std::lock_guard lock(mutex);
  std::unique_ptr<CudaDevice>& device = opened[index];
  if (device == nullptr) device.reset(new CudaDevice(index));
  return *device;
}

CudaDevice::CudaDevice(int which) : index(which) {
  const std::string name = "device " + str(Device::cuda(index)) + ": ";
  int count = 0;
  if (const cudaError_t answer = cudaGetDeviceCount(&count); answer != cudaSuccess || count == 0)
    throw DeviceError(name + "there is no GPU here (" +
                      cudaGetErrorString(answer != cudaSuccess ? answer : cudaErrorNoDevice) + "); use device cpu");
  if (index < 0 || index >= count)
    throw DeviceError(name + "there are " + std::to_string(count) + " GPUs, numbered from 0");
  use();
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "properties of the device");
  multiprocessors = properties.multiProcessorCount;
  architecture = properties.major * 10 + properties.minor;
  shared_bytes = properties.sharedMemPerBlockOptin;
  if (architecture < 80)
    throw DeviceError(name + properties.name + " has compute capability " + std::to_string(properties.major) + "." +
                      std::to_string(properties.minor) + "; 8.0 is needed");
  cublas_lt().check(cublas_lt().cublasLtCreate(&blas), "cuBLASLt");
  kernels.open(architecture);
}

std::string why_no_cuda() {
  try {
    CudaDevice::open(0);
    return {};
  } catch (const DeviceError& e) {
    return e.what();
  }
}

std::string cuda_version() {
  return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

std::vector<std::string> cuda_devices() {
  std::vector<std::string> names;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return names;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, i), "properties of the device");
    names.emplace_back(properties.name);
  }
  return names;
}

uint64_t take_cuda_peak_of_numbers(int device) {
  CudaDevice::open(device);
  return CudaMemory::of(device).take_peak();
}

void CudaDevice::use() const { check(cudaSetDevice(index), "choosing the device"); }

}  // namespace espalier
