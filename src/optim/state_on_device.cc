// An optimiser step on the device that holds the gradients: parameters and moments move there and stay.
#include "base/check.h"
#include "optim/state.h"

namespace espalier::detail {

void OptimizerState::prepare_on(DeviceMemory& memory) {
  device_step_.updates.clear();
  gradients_.clear();
  for (const Work& work : work_) {
    const GradientEntry& gradient = *work.gradient;
    ParameterStorage& storage = *gradient.parameter;
    DeviceUpdate u;
    u.gradient = gradient.values.on(memory);
    u.n = gradient.values.size();
    ESPALIER_CHECK(u.n == (gradient.sparse ? gradient.rows.size() * storage.row_size() : storage.size()));
    if (gradient.sparse) {
      u.rows = gradient.rows.on(memory);
      u.width = storage.row_size();
    }
    u.value = storage.data.to_write_on(memory);
    for (size_t k = 0; k < work.kept->moments.size(); ++k) u.moment[k] = work.kept->moments[k].to_write_on(memory);
    device_step_.updates.push_back(u);
    gradients_.emplace_back(u.gradient, u.n);
  }
  if (settings_.clip_norm > 0) memory.sum_of_squares(gradients_, squares_.resize(memory, 1));
}

void OptimizerState::step_on(DeviceMemory& memory) {
  device_step_.rule = any_rule();
  for (size_t i = 0; i < work_.size(); ++i) device_step_.updates[i].rates = rates(*work_[i].kept);
  const bool clips = settings_.clip_norm > 0;
  device_step_.sum_of_squares = clips ? squares_.data() : nullptr;
  device_step_.clip_norm = settings_.clip_norm;
  run(device_step_, memory);
}

}  // namespace espalier::detail
