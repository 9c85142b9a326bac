// Learning rate schedules, named and computed as in torch.optim.lr_scheduler.
//
// A schedule is a pure function of a step or epoch count, so it has no state to save.
// `optimizer.set_schedule(CosineAnnealingLR(0.1f, 1000))` counts the optimiser's steps, which a checkpoint stores;
// `optimizer.set_lr(schedule(epoch))` counts epochs. Any function of a step is a schedule. ReduceLROnPlateau has state,
// which is saved as text. Constructors throw Error for invalid settings.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <espalier/base/export.h>

namespace espalier::optim {

using Schedule = std::function<float(uint64_t step)>;

// lr · gamma^⌊step / step_size⌋.
class ESPALIER_API StepLR {
 public:
  StepLR(float lr, uint64_t step_size, float gamma = 0.1f);
  float operator()(uint64_t step) const;

 private:
  float lr_, gamma_;
  uint64_t step_size_;
};

// lr · gamma^step.
class ESPALIER_API ExponentialLR {
 public:
  ExponentialLR(float lr, float gamma);
  float operator()(uint64_t step) const;

 private:
  float lr_, gamma_;
};

// eta_min + (lr - eta_min) (1 + cos(π step / t_max)) / 2: from lr to eta_min in t_max steps (Loshchilov and Hutter
// 2017), and, as in PyTorch, up again in the next t_max.
class ESPALIER_API CosineAnnealingLR {
 public:
  CosineAnnealingLR(float lr, uint64_t t_max, float eta_min = 0);
  float operator()(uint64_t step) const;

 private:
  float lr_, eta_min_;
  uint64_t t_max_;
};

// lr times a factor that changes linearly from start_factor to end_factor in total_iters steps and then stays constant.
// Factors 1 and 0 give linear decay.
class ESPALIER_API LinearLR {
 public:
  LinearLR(float lr, uint64_t total_iters, float start_factor = 1.f / 3, float end_factor = 1);
  float operator()(uint64_t step) const;

 private:
  float lr_, start_, end_;
  uint64_t total_;
};

// Linear warm-up from start_factor · then(0) to then(0) during the first `steps` steps; afterwards then(step - steps).
// Equivalent to PyTorch's SequentialLR of LinearLR and another schedule.
class ESPALIER_API WarmUp {
 public:
  WarmUp(uint64_t steps, Schedule then, float start_factor = 1.f / 3);
  float operator()(uint64_t step) const;

 private:
  uint64_t steps_;
  Schedule then_;
  float start_;
};

// Triangular cycles: up from base_lr to max_lr in step_size_up steps, then down in step_size_down steps (Smith 2017).
// The height of the triangles is constant (triangular), halves with each cycle (triangular2), or is scaled by
// gamma^step (exp_range).
enum class CyclicMode { triangular, triangular2, exp_range };
struct CyclicLROptions {
  uint64_t step_size_up = 2000, step_size_down = 0;  // step_size_down 0: same as step_size_up
  CyclicMode mode = CyclicMode::triangular;
  float gamma = 1;
};
class ESPALIER_API CyclicLR {
 public:
  CyclicLR(float base_lr, float max_lr, CyclicLROptions options = {});
  float operator()(uint64_t step) const;

 private:
  float base_, max_;
  CyclicLROptions options_;
};

// Multiplies lr by `factor` when a metric has not improved for more than `patience` calls of step. With min, an
// improvement is below best · (1 - threshold) (relative) or best - threshold (absolute); with max, above
// best · (1 + threshold) or best + threshold. For `cooldown` calls after a reduction, bad calls are not counted. lr
// stays ≥ min_lr; reductions of at most eps are skipped.
struct ReduceLROnPlateauOptions {
  enum class Mode { min, max } mode = Mode::min;
  float factor = 0.1f;
  uint64_t patience = 10;
  float threshold = 1e-4f;
  enum class Threshold { relative, absolute } threshold_mode = Threshold::relative;
  uint64_t cooldown = 0;
  float min_lr = 0, eps = 1e-8f;
};
class ESPALIER_API ReduceLROnPlateau {
 public:
  explicit ReduceLROnPlateau(float lr, ReduceLROnPlateauOptions options = {});

  float step(double metric);  // call after each evaluation; returns the new rate. NaN is not an improvement
  float lr() const { return lr_; }

  // The state as text for a checkpoint's metadata; from_string restores it bit for bit. from_string throws Error, and
  // changes nothing, if the text is invalid.
  std::string to_string() const;
  void from_string(std::string_view text);

 private:
  bool improves(double metric) const;

  ReduceLROnPlateauOptions options_;
  float lr_;
  double best_;
  uint64_t bad_ = 0, resting_ = 0;  // calls without improvement; remaining calls of cooldown
};

}  // namespace espalier::optim
