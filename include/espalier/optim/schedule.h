// Learning rates that change over the training, named and computed as in torch.optim.lr_scheduler.
//
// A schedule is a pure function of how many steps (or epochs: whatever its user counts) were made, so there is nothing
// to save: `optimizer.set_schedule(CosineAnnealingLR(0.1f, 1000))` counts the optimiser's steps, which a checkpoint
// keeps; `optimizer.set_lr(schedule(epoch))` counts epochs. Any function of a step is one. ReduceLROnPlateau depends
// on what it was shown, and is stored as text. Wrong settings are an Error where the schedule is made.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <espalier/base/export.h>

namespace espalier::optim {

using Schedule = std::function<float(uint64_t step)>;

// lr · gamma to the power of ⌊step / step_size⌋.
class ESPALIER_API StepLR {
 public:
  StepLR(float lr, uint64_t step_size, float gamma = 0.1f);
  float operator()(uint64_t step) const;

 private:
  float lr_, gamma_;
  uint64_t step_size_;
};

// lr · gamma to the power of step.
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

// lr times a factor that goes from start_factor to end_factor in total_iters equal steps, and stays there. With factors
// 1 and 0 it is linear decay.
class ESPALIER_API LinearLR {
 public:
  LinearLR(float lr, uint64_t total_iters, float start_factor = 1.f / 3, float end_factor = 1);
  float operator()(uint64_t step) const;

 private:
  float lr_, start_, end_;
  uint64_t total_;
};

// Linear warm-up: `steps` steps from start_factor · then(0) towards then(0), then then(step - steps). In PyTorch a
// SequentialLR of LinearLR and another.
class ESPALIER_API WarmUp {
 public:
  WarmUp(uint64_t steps, Schedule then, float start_factor = 1.f / 3);
  float operator()(uint64_t step) const;

 private:
  uint64_t steps_;
  Schedule then_;
  float start_;
};

// Up from base_lr to max_lr in step_size_up steps, down again in step_size_down, and so on (Smith 2017). The height of
// a triangle stays (triangular), halves from one to the next (triangular2), or is scaled by gamma to the power of step
// (exp_range).
enum class CyclicMode { triangular, triangular2, exp_range };
struct CyclicLROptions {
  uint64_t step_size_up = 2000, step_size_down = 0;  // down 0: as many as up
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

// Multiplies lr by `factor` when a metric has not improved for more than `patience` calls of step. It improves when it
// is below best · (1 - threshold) (relative) or best - threshold (absolute); with max, above best · (1 + threshold) or
// best + threshold. For `cooldown` calls after a reduction nothing counts as bad. lr stays ≥ min_lr, and reductions by
// no more than eps are left out.
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

  float step(double metric);  // after each evaluation; the rate from here on. NaN is no improvement
  float lr() const { return lr_; }

  // What it has seen, as text for a checkpoint's metadata; read back, it goes on with the same bits. Error, and nothing
  // changes, where the text is not such a state.
  std::string to_string() const;
  void from_string(std::string_view text);

 private:
  bool improves(double metric) const;

  ReduceLROnPlateauOptions options_;
  float lr_;
  double best_;
  uint64_t bad_ = 0, resting_ = 0;  // calls without improvement, calls of cooldown left
};

}  // namespace espalier::optim
