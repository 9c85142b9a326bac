// Compiles and launches the persistent kernels of a plan (exec/gpu/persistent).
#pragma once
#include <span>
#include <vector>

#include <espalier/tensor/tensor.h>
#include "exec/cuda/device.h"
#include "exec/cuda/memory/buffers.h"
#include "exec/gpu/persistent/planner.h"

namespace espalier {

class PersistentKernels {
 public:
  PersistentKernels(CudaDevice& device, Precision precision, cudaStream_t stream);

  // The share of the device that each of several concurrent executors may use.
  persistent::Capacity capacity(unsigned concurrent_executors) const;
  // Finds or compiles the kernels of a plan. Renumbers the functions in the phases to those of the compiled kernels.
  void compile(persistent::Planner& planner, const persistent::Capacity& capacity);

  // Launches kernel `which` of the compiled plan.
  void launch(const persistent::PlannedKernel& kernel, size_t which, persistent::Arguments arguments);

 private:
  struct Compiled {
    std::vector<persistent::Function> functions;
    persistent::Products products;
    CUfunction kernel = nullptr;
  };
  const Compiled& compiled(const persistent::PlannedKernel& kernel);

  CudaDevice& device_;
  Precision precision_;
  cudaStream_t stream_;
  unsigned blocks_ = 0;
  std::vector<Compiled> cache_;
  std::vector<CUfunction> functions_;  // one per kernel of the plan
  DeviceBuffer<unsigned> arrived_;     // arrivals of blocks at barriers, over all launches
  unsigned target_ = 0;                // value of arrived_ after all launches so far
};

}  // namespace espalier
