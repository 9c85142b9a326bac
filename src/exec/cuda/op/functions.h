// The functions that run ops on CUDA.
#pragma once
#include <cuda_runtime_api.h>
#include "exec/launch.h"

namespace espalier {

// All pointers of the launch except `kernel` are device pointers. `index` has one entry per call, also if the op runs
// over the rows of a list; `segments` is then set. Enqueues the work; throws DeviceError if that fails.
using CudaFunction = void (*)(const OpLaunch<float>& launch, cudaStream_t stream);

// Null for element-wise ops, products with a shared matrix, and user-defined ops, which run differently.
CudaFunction cuda_function(const OpInfo* op);

}  // namespace espalier
