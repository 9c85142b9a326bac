// A step of an optimiser on a CUDA device.
#pragma once
#include "optim/device_step.h"

namespace espalier::detail {

// On the memory's stream; returns at once.
void run_on_cuda(const DeviceStep& step, DeviceMemory& memory);

}  // namespace espalier::detail
