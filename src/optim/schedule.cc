// Schedules that are pure functions of the step, computed in double and rounded to float.
#include <espalier/optim/schedule.h>

#include <cmath>

#include "optim/need.h"

namespace espalier::optim {
namespace {

using detail::need_at_least_zero;

void need_steps(std::string_view who, std::string_view what, uint64_t steps) {
  if (steps == 0) throw Error(fmt::format("{}: {} is 0; it must be at least 1", who, what));
}

void need_factor(std::string_view who, std::string_view what, float factor) {
  if (!(factor >= 0 && factor <= 1))
    throw Error(fmt::format("{}: {} is {}; it must be at least 0 and at most 1", who, what, factor));
}

double real(auto number) { return static_cast<double>(number); }
float rounded(double number) { return static_cast<float>(number); }

}  // namespace

StepLR::StepLR(float lr, uint64_t step_size, float gamma) : lr_(lr), gamma_(gamma), step_size_(step_size) {
  need_at_least_zero("StepLR", "lr", lr);
  need_steps("StepLR", "step_size", step_size);
  need_at_least_zero("StepLR", "gamma", gamma);
}
float StepLR::operator()(uint64_t step) const {
  return rounded(real(lr_) * std::pow(real(gamma_), real(step / step_size_)));
}

ExponentialLR::ExponentialLR(float lr, float gamma) : lr_(lr), gamma_(gamma) {
  need_at_least_zero("ExponentialLR", "lr", lr);
  need_at_least_zero("ExponentialLR", "gamma", gamma);
}
float ExponentialLR::operator()(uint64_t step) const { return rounded(real(lr_) * std::pow(real(gamma_), real(step))); }

CosineAnnealingLR::CosineAnnealingLR(float lr, uint64_t t_max, float eta_min)
    : lr_(lr), eta_min_(eta_min), t_max_(t_max) {
  need_at_least_zero("CosineAnnealingLR", "lr", lr);
  need_steps("CosineAnnealingLR", "t_max", t_max);
  need_at_least_zero("CosineAnnealingLR", "eta_min", eta_min);
}
float CosineAnnealingLR::operator()(uint64_t step) const {
  constexpr double pi = 3.14159265358979323846;
  const double low = real(eta_min_), turn = real(step) / real(t_max_);
  return rounded(low + (real(lr_) - low) * (1 + std::cos(pi * turn)) / 2);
}

LinearLR::LinearLR(float lr, uint64_t total_iters, float start_factor, float end_factor)
    : lr_(lr), start_(start_factor), end_(end_factor), total_(total_iters) {
  need_at_least_zero("LinearLR", "lr", lr);
  need_steps("LinearLR", "total_iters", total_iters);
  need_factor("LinearLR", "start_factor", start_factor);
  need_factor("LinearLR", "end_factor", end_factor);
}
float LinearLR::operator()(uint64_t step) const {
  if (step >= total_) return rounded(real(lr_) * real(end_));
  const double way = real(step) / real(total_);
  return rounded(real(lr_) * (real(start_) + (real(end_) - real(start_)) * way));
}

WarmUp::WarmUp(uint64_t steps, Schedule then, float start_factor)
    : steps_(steps), then_(std::move(then)), start_(start_factor) {
  if (!then_) throw Error("WarmUp: then is empty; it must be a schedule");
  need_factor("WarmUp", "start_factor", start_factor);
}
float WarmUp::operator()(uint64_t step) const {
  return step < steps_ ? LinearLR(then_(0), steps_, start_)(step) : then_(step - steps_);
}

CyclicLR::CyclicLR(float base_lr, float max_lr, CyclicLROptions options)
    : base_(base_lr), max_(max_lr), options_(options) {
  need_at_least_zero("CyclicLR", "base_lr", base_lr);
  need_at_least_zero("CyclicLR", "max_lr", max_lr);
  need_steps("CyclicLR", "step_size_up", options.step_size_up);
  need_factor("CyclicLR", "gamma", options.gamma);
  if (options_.step_size_down == 0) options_.step_size_down = options_.step_size_up;
}
float CyclicLR::operator()(uint64_t step) const {
  const uint64_t up = options_.step_size_up, down = options_.step_size_down;
  const uint64_t cycle = step / (up + down), at = step % (up + down);
  double height = at <= up ? real(at) / real(up) : real(up + down - at) / real(down);
  if (options_.mode == CyclicMode::triangular2) height *= std::pow(0.5, real(cycle));
  if (options_.mode == CyclicMode::exp_range) height *= std::pow(real(options_.gamma), real(step));
  return rounded(real(base_) + (real(max_) - real(base_)) * height);
}

}  // namespace espalier::optim
