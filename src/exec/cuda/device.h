// One GPU, opened once a process: its properties, and what all executors on it share.
#pragma once
#include <cstddef>

#include "exec/cuda/compile/kernels.h"
#include "exec/cuda/libraries.h"
#include "exec/cuda/memory/reads.h"

namespace espalier {

class CudaDevice {
 public:
  // DeviceError, in words, where there is no driver or no such GPU.
  static CudaDevice& open(int index);

  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  void use() const;  // by the calling thread, from now on

  const int index;
  int multiprocessors = 0;
  int architecture = 0;     // 90: compute capability 9.0
  size_t shared_bytes = 0;  // that a block can have
  cublasLtHandle_t blas = nullptr;
  Kernels kernels;
  const std::shared_ptr<CudaReads> reads = std::make_shared<CudaReads>();

 private:
  explicit CudaDevice(int index);
};

}  // namespace espalier
