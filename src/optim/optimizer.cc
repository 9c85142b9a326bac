#include <espalier/optim/optimizer.h>

#include "exec/profiler_range.h"
#include "optim/state.h"

namespace espalier::optim {

void Optimizer::step(const Gradients& gradients) {
  const ProfilerRange shown("update");
  state_->step(gradients.state());
}
float Optimizer::lr() const { return state_->lr(); }
void Optimizer::set_lr(float lr) { state_->set_lr(lr); }
void Optimizer::set_schedule(Schedule schedule) { state_->set_schedule(std::move(schedule)); }
uint64_t Optimizer::steps() const { return state_->steps(); }
void Optimizer::group(std::string_view glob, float lr_factor, std::optional<float> weight_decay) {
  state_->group(glob, lr_factor, weight_decay);
}

}  // namespace espalier::optim
