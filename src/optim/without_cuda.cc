// Replaces cuda/step.cu in builds without CUDA, where no memory has that kind and this is never called.
#include "base/check.h"
#include "optim/cuda/step.h"

namespace espalier::detail {

void run_on_cuda(const DeviceStep&, DeviceMemory&) {
  internal_error("built with CUDA", Where::here(__FILE__, __LINE__));
}

}  // namespace espalier::detail
