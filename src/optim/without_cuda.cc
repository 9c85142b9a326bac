// Replaces cuda/step.cu in builds without CUDA. No DeviceMemory is then of kind cuda, so this is never called.
#include "base/check.h"
#include "optim/cuda/step.h"

namespace espalier::detail {

void run_on_cuda(const DeviceStep&, DeviceMemory&) {
  internal_error("built with CUDA", Where::here(__FILE__, __LINE__));
}

}  // namespace espalier::detail
