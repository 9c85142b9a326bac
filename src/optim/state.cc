#include "optim/state.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "optim/need.h"
#include "optim/rule/updates.h"

namespace espalier::detail {

OptimizerState::OptimizerState(std::string_view who, Parameters& params, OptimizerSettings settings)
    : settings_(settings), root_(Scope(params).root()) {
  need_at_least_zero(who, "lr", settings.lr);
  need_at_least_zero(who, "weight_decay", settings.weight_decay);
  need_at_least_zero(who, "clip_norm", settings.clip_norm);
  for (const Parameter& p : params.all()) keep(p.storage());
}

void OptimizerState::set_lr(float lr) {
  need_at_least_zero("set_lr", "lr", lr);
  settings_.lr = lr;
  schedule_ = nullptr;
}

void OptimizerState::group(std::string_view glob, float lr_factor, std::optional<float> weight_decay) {
  const std::string who = "group '" + std::string(glob) + "'";
  need_at_least_zero(who, "lr_factor", lr_factor);
  need_at_least_zero(who, "weight_decay", weight_decay.value_or(0));
  std::erase_if(groups_, [&](const Group& old) { return old.glob == glob; });
  groups_.push_back({std::string(glob), lr_factor, weight_decay});
  for (auto& [address, kept] : kept_)
    if (const auto storage = kept.parameter.lock()) settle(kept, storage->name.text());
}

void OptimizerState::settle(Kept& kept, const std::string& name) const {
  const auto group = std::find_if(groups_.rbegin(), groups_.rend(),
                                  [&](const Group& candidate) { return matches(candidate.glob, name); });
  const bool found = group != groups_.rend();
  kept.lr_factor = found ? group->lr_factor : 1;
  kept.decay = found ? group->decay.value_or(settings_.weight_decay) : settings_.weight_decay;
}

OptimizerState::Kept& OptimizerState::keep(const std::shared_ptr<ParameterStorage>& storage) {
  std::erase_if(kept_, [](const auto& item) { return item.second.parameter.expired(); });
  Kept& kept = kept_[storage.get()];
  kept.parameter = storage;
  settle(kept, storage->name.text());
  return kept;
}

OptimizerState::Kept* OptimizerState::find(const std::shared_ptr<ParameterStorage>& storage) {
  if (const auto it = kept_.find(storage.get()); it != kept_.end()) return &it->second;
  const auto root = root_.lock();
  if (storage->detached || root == nullptr) return nullptr;
  const auto it = root->parameters.find(storage->name.local());
  return it != root->parameters.end() && it->second == storage ? &keep(storage) : nullptr;
}

std::vector<MirroredFloats> OptimizerState::initial_moments(const ParameterStorage& storage,
                                                            DeviceMemory* where) const {
  std::vector<MirroredFloats> made(moments().size());
  for (MirroredFloats& moment : made)
    if (where != nullptr)
      where->fill(moment.renew_on(*where, storage.size()), storage.size(), initial_moment());
    else
      moment.host_to_write().assign(storage.size(), initial_moment());
  return made;
}

void OptimizerState::step(const GradientState& gradients) {
  const float lr = schedule_ ? schedule_(steps_) : settings_.lr;
  if (schedule_) need_at_least_zero("step", fmt::format("lr of the schedule at {}", steps_), lr);
  DeviceMemory* const device = gradients.device();
  work_.clear();
  for (size_t i = 0; i < gradients.used; ++i) {
    const GradientEntry& gradient = gradients.entries[i];
    if (gradient.parameter->frozen) continue;
    Kept* kept = find(gradient.parameter);
    if (!kept) continue;
    if (kept->moments.empty()) kept->moments = initial_moments(*gradient.parameter, device);
    work_.push_back({&gradient, kept});
  }
  if (device != nullptr)
    prepare_on(*device);
  else
    prepare_on_host();
  settings_.lr = lr;
  begin(++steps_);
  if (device != nullptr)
    step_on(*device);
  else
    step_on_host(gradients.workers.get());
}

// Copies values from the device if necessary, which may fail, and makes them writable before threads share them.
void OptimizerState::prepare_on_host() {
  for (const Work& work : work_) {
    work.gradient->parameter->data.host_to_write();
    for (MirroredFloats& moment : work.kept->moments) moment.host_to_write();
  }
  cut();
}

void OptimizerState::step_on_host(Workers* workers) {
  const float factor = scale();
  // Elements are independent, so the result does not depend on the number of threads.
  auto run = [&](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i)
      update(work_[stretches_[i].work], stretches_[i].first, stretches_[i].last, factor);
  };
  if (workers)
    workers->share(stretches_.size(), run);
  else
    run(0, stretches_.size());
}

// Divides the work into ranges of similar size, which threads share.
void OptimizerState::cut() {
  constexpr size_t elements = size_t{1} << 14;
  stretches_.clear();
  for (size_t w = 0; w < work_.size(); ++w) {
    const GradientEntry& gradient = *work_[w].gradient;
    const ParameterStorage& storage = *gradient.parameter;
    const size_t width = gradient.sparse ? std::max<size_t>(storage.row_size(), 1) : 1;
    const size_t count = gradient.sparse ? gradient.rows.size() : storage.size(),
                 step = std::max<size_t>(elements / width, 1);
    ESPALIER_CHECK(gradient.values.size() == count * (gradient.sparse ? storage.row_size() : 1));
    for (int32_t row : gradient.rows.host()) ESPALIER_CHECK(!gradient.sparse || (row >= 0 && row < storage.shape[0]));
    for (size_t first = 0; first < count; first += step)
      stretches_.push_back({w, first, std::min(first + step, count)});
  }
}

float OptimizerState::scale() const {
  if (settings_.clip_norm <= 0) return 1;
  double sum = 0;
  for (const Work& work : work_) sum += sum_of_squares(work.gradient->values.host());
  return clip_factor(sum, settings_.clip_norm);
}

void OptimizerState::update(const Work& work, size_t first, size_t last, float scale) const {
  ParameterStorage& storage = *work.gradient->parameter;
  const AnyRule rule = any_rule();
  const Rates rates_of_all = rates(*work.kept);
  const float* gradient = work.gradient->values.host().data();
  float* const value = storage.data.host_to_write().data();
  std::array<float*, max_moments> moment{};
  for (size_t k = 0; k < work.kept->moments.size(); ++k) moment[k] = work.kept->moments[k].host_to_write().data();
  const auto apply_at = [&](size_t from, const float* values, size_t n) {
    Update u{value + from, values, moment, n, scale, rates_of_all};
    for (size_t k = 0; k < work.kept->moments.size(); ++k) u.moment[k] += from;
    apply_rule(rule, u);
  };
  if (!work.gradient->sparse) return apply_at(first, gradient + first, last - first);
  const size_t width = storage.row_size();
  const AlignedVector<int32_t>& rows = work.gradient->rows.host();
  for (size_t i = first; i < last; ++i) apply_at(static_cast<size_t>(rows[i]) * width, gradient + i * width, width);
}

}  // namespace espalier::detail
