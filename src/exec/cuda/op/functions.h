// Which function runs an op on CUDA.
#pragma once
#include <cuda_runtime_api.h>
#include "exec/launch.h"

namespace espalier {

// All pointers of the launch but `kernel` are the device's. `index` has one entry per call, also where rows of lists
// are run; `segments` are then given. The work is enqueued, not waited for. Throws DeviceError where that fails.
using CudaFunction = void (*)(const OpLaunch<float>& launch, cudaStream_t stream);

// Null for an element-wise op, for a product with a shared matrix, and for one from outside: those run otherwise.
CudaFunction cuda_function(const OpInfo* op);

}  // namespace espalier
