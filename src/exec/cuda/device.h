// One GPU, opened once per process: its properties, and the resources that all executors on it share.
#pragma once
#include <cstddef>

#include "exec/cuda/compile/kernels.h"
#include "exec/cuda/libraries.h"
#include "exec/cuda/memory/reads.h"

namespace espalier {

class CudaDevice {
 public:
  // DeviceError without a driver, or without that GPU.
  static CudaDevice& open(int index);

  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  void use() const;  // makes it the current device of the calling thread

  const int index;
  int multiprocessors = 0;
  int architecture = 0;     // 90: compute capability 9.0
  size_t shared_bytes = 0;  // maximum per block
  cublasLtHandle_t blas = nullptr;
  Kernels kernels;
  const std::shared_ptr<CudaReads> reads = std::make_shared<CudaReads>();

 private:
  explicit CudaDevice(int index);
};

}  // namespace espalier
