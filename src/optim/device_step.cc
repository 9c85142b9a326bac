#include "optim/device_step.h"

#include "optim/cuda/step.h"

namespace espalier::detail {

void run(const DeviceStep& step, DeviceMemory& memory) {
  if (step.updates.empty()) return;
  if (memory.device().kind == Device::Kind::cuda) return run_on_cuda(step, memory);
  // Not CUDA: the memory is accessible to the host.
  const float scale = step.sum_of_squares != nullptr ? clip_factor(*step.sum_of_squares, step.clip_norm) : 1;
  std::visit(
      [&](const auto& rule) {
        for (const DeviceUpdate& u : step.updates)
          for (uint64_t i = 0; i < u.n; ++i) update_one(rule, u, i, scale);
      },
      step.rule);
}

}  // namespace espalier::detail
