// Stands in for cuda/step.cu where there is no CUDA: then no memory is of that kind, and nobody comes here.
#include "base/check.h"
#include "optim/cuda/step.h"

namespace espalier::detail {

void run_on_cuda(const DeviceStep&, DeviceMemory&) {
  internal_error("built with CUDA", Where::here(__FILE__, __LINE__));
}

}  // namespace espalier::detail
