#include "optim/state.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "optim/need.h"

namespace espalier::detail {
namespace {

// In double and in eight sums side by side, which the compiler keeps in vectors.
double sum_of_squares(const std::vector<float>& values) {
  constexpr size_t lanes = 8;
  double sums[lanes] = {};
  const size_t whole = values.size() / lanes * lanes;
  const float* v = values.data();
  for (size_t i = 0; i < whole; i += lanes)
    for (size_t k = 0; k < lanes; ++k) sums[k] += static_cast<double>(v[i + k]) * static_cast<double>(v[i + k]);
  for (size_t i = whole; i < values.size(); ++i) sums[0] += static_cast<double>(v[i]) * static_cast<double>(v[i]);
  double sum = 0;
  for (double s : sums) sum += s;
  return sum;
}

}  // namespace

OptimizerState::OptimizerState(std::string_view who, Parameters& params, OptimizerSettings settings)
    : settings_(settings), root_(Scope(params).root()->weak_from_this()) {
  need_at_least_zero(who, "lr", settings.lr);
  need_at_least_zero(who, "weight_decay", settings.weight_decay);
  need_at_least_zero(who, "clip_norm", settings.clip_norm);
  for (const Parameter& p : params.all()) keep(p.slot());
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
    if (const auto slot = kept.slot.lock()) settle(kept, slot->name);
}

void OptimizerState::settle(Kept& kept, const std::string& name) const {
  const auto group = std::find_if(groups_.rbegin(), groups_.rend(),
                                  [&](const Group& candidate) { return matches(candidate.glob, name); });
  const bool found = group != groups_.rend();
  kept.lr_factor = found ? group->lr_factor : 1;
  kept.decay = found ? group->decay.value_or(settings_.weight_decay) : settings_.weight_decay;
}

OptimizerState::Kept& OptimizerState::keep(const std::shared_ptr<Slot>& slot) {
  std::erase_if(kept_, [](const auto& item) { return item.second.slot.expired(); });
  Kept& kept = kept_[slot.get()];
  kept.slot = slot;
  settle(kept, slot->name);
  return kept;
}

OptimizerState::Kept* OptimizerState::find(const std::shared_ptr<Slot>& slot) {
  if (const auto it = kept_.find(slot.get()); it != kept_.end()) return &it->second;
  const auto root = root_.lock();
  if (slot->detached || root == nullptr) return nullptr;
  const auto it = root->slots.find(slot->name);
  return it != root->slots.end() && it->second.lock() == slot ? &keep(slot) : nullptr;
}

void OptimizerState::step(const GradientState& gradients) {
  const float lr = schedule_ ? schedule_(steps_) : settings_.lr;
  if (schedule_) need_at_least_zero("step", fmt::format("lr of the schedule at {}", steps_), lr);
  work_.clear();
  for (size_t i = 0; i < gradients.used; ++i) {
    const GradientEntry& gradient = gradients.entries[i];
    if (gradient.slot->frozen) continue;
    Kept* kept = find(gradient.slot);
    if (!kept) continue;
    if (kept->moments.empty() && !moments().empty())
      kept->moments.assign(moments().size(), std::vector<float>(gradient.slot->size(), initial_moment()));
    work_.push_back({&gradient, kept});
  }
  settings_.lr = lr;
  const float scale = clip_factor();
  begin(++steps_);
  cut();
  // No number depends on another, so the same bits come from any number of threads.
  auto run = [&](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i)
      update(work_[stretches_[i].work], stretches_[i].first, stretches_[i].last, scale);
  };
  if (gradients.workers)
    gradients.workers->share(stretches_.size(), run);
  else
    run(0, stretches_.size());
}

// Into stretches of like size, which threads share.
void OptimizerState::cut() {
  constexpr size_t elements = size_t{1} << 14;
  stretches_.clear();
  for (size_t w = 0; w < work_.size(); ++w) {
    const GradientEntry& gradient = *work_[w].gradient;
    const Slot& slot = *gradient.slot;
    const size_t width = gradient.sparse ? std::max<size_t>(slot.row_size(), 1) : 1;
    const size_t count = gradient.sparse ? gradient.rows.size() : slot.size(),
                 step = std::max<size_t>(elements / width, 1);
    ESPALIER_CHECK(gradient.values.size() == count * (gradient.sparse ? slot.row_size() : 1));
    for (int32_t row : gradient.rows) ESPALIER_CHECK(!gradient.sparse || (row >= 0 && row < slot.shape[0]));
    for (size_t first = 0; first < count; first += step)
      stretches_.push_back({w, first, std::min(first + step, count)});
  }
}

float OptimizerState::clip_factor() const {
  if (settings_.clip_norm <= 0) return 1;
  double sum = 0;
  for (const Work& work : work_) sum += sum_of_squares(work.gradient->values);
  const double norm = std::sqrt(sum), limit = static_cast<double>(settings_.clip_norm);
  return norm > limit ? static_cast<float>(limit / norm) : 1;
}

void OptimizerState::update(const Work& work, size_t first, size_t last, float scale) const {
  Slot& slot = *work.gradient->slot;
  const float* gradient = work.gradient->values.data();
  const auto apply_at = [&](size_t from, const float* values, size_t n) {
    Update u{slot.data.data() + from, values, {}, n, scale, settings_.lr * work.kept->lr_factor, work.kept->decay};
    for (size_t k = 0; k < work.kept->moments.size(); ++k) u.moment[k] = work.kept->moments[k].data() + from;
    apply(u);
  };
  if (!work.gradient->sparse) return apply_at(first, gradient + first, last - first);
  const size_t width = slot.row_size();
  for (size_t i = first; i < last; ++i)
    apply_at(static_cast<size_t>(work.gradient->rows[i]) * width, gradient + i * width, width);
}

}  // namespace espalier::detail
