// Optimisers: rules that update parameters by their gradients. The recurrences and defaults are PyTorch's; the formulas
// and their sparse variants are in docs/optimisers.md.
//
// Lookup tables use the lazy rule: a step changes the values and moments of the rows in the gradient, and decays only
// these rows; the other rows skip the step. This equals the dense rule for SGD without momentum and for Adagrad, both
// without weight decay; for the other rules, the comments below state the difference. A parameter without a gradient
// skips the step as well; a frozen one skips all steps. The step count t is that of the optimiser, also for rare rows
// and for parameters created later.
#pragma once
#include <memory>
#include <optional>
#include <string_view>

#include <espalier/optim/schedule.h>
#include <espalier/param/gradients.h>
#include <espalier/param/parameters.h>

namespace espalier {
namespace detail {
class OptimizerState;
}

namespace optim {

// A handle; copies share state. It updates the parameters of the Parameters passed to its constructor, including those
// created later, and no others. The Parameters may be moved. Parameters kept alive by handles are still updated after
// the Parameters are destroyed.
class ESPALIER_API Optimizer {
 public:
  Optimizer(const Optimizer&) = default;
  Optimizer& operator=(const Optimizer&) = default;

  // One update. The gradients are not modified, even if clip_norm scales them. O(elements of the gradients).
  void step(const Gradients& gradients);

  float lr() const;
  void set_lr(float lr);  // Error unless finite and ≥ 0; removes the schedule

  // Before step n, the optimiser sets lr to schedule(n). n counts from 0 and continues across checkpoints. step throws
  // Error, before anything changes, if schedule(n) is negative or not finite.
  void set_schedule(Schedule schedule);
  uint64_t steps() const;  // number of completed steps

  // Parameters whose name matches use lr · lr_factor, and their own weight decay if given. The last matching group
  // applies, also to parameters created later.
  void group(std::string_view glob, float lr_factor, std::optional<float> weight_decay = {});

  detail::OptimizerState& state() const { return *state_; }

 protected:
  explicit Optimizer(std::shared_ptr<detail::OptimizerState> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<detail::OptimizerState> state_;
};

// In all options: weight_decay adds decay · p to the gradient (except in AdamW); clip_norm > 0 scales the gradients so
// that their norm over all parameters of the optimiser is at most clip_norm. An option out of range throws Error, such
// as "adam: beta1 is 1; it must be …".
struct SGDOptions {
  float lr = 0.1f, momentum = 0, weight_decay = 0, clip_norm = 0;
  bool nesterov = false;
};
struct CyclicalSGDOptions {
  float base_lr = 0.01f, max_lr = 0.1f;
  uint64_t step_size = 2000;  // steps from base_lr to max_lr, and again from max_lr to base_lr
  float gamma = 1;            // the peak decays by this factor per step
  float momentum = 0, weight_decay = 0, clip_norm = 0;
  bool nesterov = false;
};
struct AdagradOptions {
  float lr = 1e-2f, lr_decay = 0, weight_decay = 0, initial_accumulator_value = 0, eps = 1e-10f, clip_norm = 0;
};
struct AdadeltaOptions {
  float lr = 1, rho = 0.9f, eps = 1e-6f, weight_decay = 0, clip_norm = 0;
};
struct RMSpropOptions {
  float lr = 1e-2f, alpha = 0.99f, eps = 1e-8f, weight_decay = 0, momentum = 0;
  bool centered = false;
  float clip_norm = 0;
};
struct AdamOptions {
  float lr = 1e-3f, beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f, weight_decay = 0, clip_norm = 0;
  bool amsgrad = false;
};

// g += decay · p;  b = momentum · b + g;  p -= lr · b, or with nesterov p -= lr · (g + momentum · b).
// Lazy: while a row does not occur, its b neither decays nor moves the row.
struct ESPALIER_API SGD : Optimizer {
  explicit SGD(Parameters& params, SGDOptions options = {});
};

// SGD with a learning rate that cycles between base_lr and max_lr (Smith 2017), using CyclicLR as its schedule.
struct ESPALIER_API CyclicalSGD : SGD {
  explicit CyclicalSGD(Parameters& params, CyclicalSGDOptions options = {});
};

// s += g²;  p -= lr / (1 + (t - 1) lr_decay) · g / (√s + eps), in step t (Duchi et al. 2011). s starts at
// initial_accumulator_value. Lazy: equal to the dense rule if weight_decay is 0.
struct ESPALIER_API Adagrad : Optimizer {
  explicit Adagrad(Parameters& params, AdagradOptions options = {});
};

// s = rho · s + (1 - rho) g²;  δ = g √(d + eps) / √(s + eps);  d = rho · d + (1 - rho) δ²;  p -= lr · δ (Zeiler 2012).
// Lazy: s and d are means over the steps in which a row occurs; in the dense rule, both decay at zero gradients.
struct ESPALIER_API Adadelta : Optimizer {
  explicit Adadelta(Parameters& params, AdadeltaOptions options = {});
};

// s = alpha · s + (1 - alpha) g²;  δ = g / (√s + eps);  p -= lr · δ, or with momentum b = momentum · b + δ, p -= lr ·
// b. Centered (Graves 2013): √(s - a²) in place of √s, with a = alpha · a + (1 - alpha) g. Lazy: s, a and b change
// only in steps in which the row occurs; in other steps, b does not move the row.
struct ESPALIER_API RMSprop : Optimizer {
  explicit RMSprop(Parameters& params, RMSpropOptions options = {});
};

// m = beta1 · m + (1 - beta1) g;  v = beta2 · v + (1 - beta2) g²;  p -= lr · m̂ / (√v̂ + eps) (Kingma and Ba 2015), with
// m̂ = m / (1 - beta1ᵗ), v̂ = v / (1 - beta2ᵗ) in step t. With amsgrad, v̂ uses the largest v so far in place of v.
// Lazy: m and v are means over the steps in which a row occurs, but t counts all steps: a row that first occurs late
// takes a larger first step, up to (1 - beta1) / √(1 - beta2) · lr ≈ 3 lr instead of lr.
struct ESPALIER_API Adam : Optimizer {
  explicit Adam(Parameters& params, AdamOptions options = {});
};

// Adam with p *= 1 - lr · decay in place of g += decay · p (Loshchilov and Hutter 2019).
struct ESPALIER_API AdamW : Optimizer {
  explicit AdamW(Parameters& params, AdamOptions options = {});
};

}  // namespace optim
}  // namespace espalier
