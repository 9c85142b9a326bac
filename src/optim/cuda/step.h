// One optimiser step on a CUDA device.
#pragma once
#include "optim/device_step.h"

namespace espalier::detail {

// Asynchronous, on the memory's stream.
void run_on_cuda(const DeviceStep& step, DeviceMemory& memory);

}  // namespace espalier::detail
