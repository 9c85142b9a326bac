// Optimisers: rules that change parameters by their gradients. The recurrences and defaults are PyTorch's; formulas and
// what is sparse in each of them: docs/optimisers.md.
//
// A lookup table is updated by the lazy rule: only rows that occur in the gradient change, in value, moments and decay;
// the others rest, as if the step had not been. For SGD without momentum and for Adagrad, both without decay, this is
// the dense rule exactly; for each other rule its comment says what differs. Likewise a parameter that has no gradient
// in a step rests in that step. Frozen parameters rest always. Steps are counted by the optimiser, for rare rows and
// late parameters too.
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

// A handle; a copy shares. It updates the parameters of the Parameters it was made with, also those made after it, and
// no others. The Parameters may be moved; handles of parameters keep being updated when the Parameters are gone.
class ESPALIER_API Optimizer {
 public:
  Optimizer(const Optimizer&) = default;
  Optimizer& operator=(const Optimizer&) = default;

  // One update. The gradients stay as they are, also where clip_norm scales what is applied. O(numbers in them).
  void step(const Gradients& gradients);

  float lr() const;
  void set_lr(float lr);  // Error unless finite and ≥ 0; ends a schedule

  // Before its n-th step, counted from 0 and over all runs that a checkpoint joins, the optimiser sets lr to
  // schedule(n). Error in step, before anything changes, where that is no rate.
  void set_schedule(Schedule schedule);
  uint64_t steps() const;  // that were made

  // Parameters whose name matches get lr · lr_factor, and their own weight decay where one is given. The last group
  // that matches counts, also for parameters made later.
  void group(std::string_view glob, float lr_factor, std::optional<float> weight_decay = {});

  detail::OptimizerState& state() const { return *state_; }

 protected:
  explicit Optimizer(std::shared_ptr<detail::OptimizerState> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<detail::OptimizerState> state_;
};

// In all options: weight_decay adds decay · p to the gradient (not in AdamW), clip_norm > 0 scales the gradients so
// that their norm over all parameters of the optimiser is at most that. Error, in the words «adam: beta1 is 1; it must
// be …», where an option is out of range.
struct SGDOptions {
  float lr = 0.1f, momentum = 0, weight_decay = 0, clip_norm = 0;
  bool nesterov = false;
};
struct CyclicalSGDOptions {
  float base_lr = 0.01f, max_lr = 0.1f;
  uint64_t step_size = 2000;  // steps from one to the other
  float gamma = 1;            // the peaks fall with gamma to the power of steps
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
// Lazy: b of a row neither fades nor moves the row while it does not occur.
struct ESPALIER_API SGD : Optimizer {
  explicit SGD(Parameters& params, SGDOptions options = {});
};

// SGD whose rate goes up and down between base_lr and max_lr (Smith 2017): CyclicLR as its schedule.
struct ESPALIER_API CyclicalSGD : SGD {
  explicit CyclicalSGD(Parameters& params, CyclicalSGDOptions options = {});
};

// s += g²;  p -= lr / (1 + (t - 1) lr_decay) · g / (√s + eps), in step t (Duchi et al. 2011). s starts at
// initial_accumulator_value. Lazy without decay: exactly the dense rule.
struct ESPALIER_API Adagrad : Optimizer {
  explicit Adagrad(Parameters& params, AdagradOptions options = {});
};

// s = rho · s + (1 - rho) g²;  δ = g √(d + eps) / √(s + eps);  d = rho · d + (1 - rho) δ²;  p -= lr · δ (Zeiler 2012).
// Lazy: s and d are means over the steps in which a row occurs; a dense zero would let both fade.
struct ESPALIER_API Adadelta : Optimizer {
  explicit Adadelta(Parameters& params, AdadeltaOptions options = {});
};

// s = alpha · s + (1 - alpha) g²;  δ = g / (√s + eps);  p -= lr · δ, or with momentum b = momentum · b + δ, p -= lr ·
// b. Centered (Graves 2013): √(s - a²) in place of √s, with a = alpha · a + (1 - alpha) g. Lazy: s, a and b are means
// over the steps in which a row occurs; b does not move a row that does not.
struct ESPALIER_API RMSprop : Optimizer {
  explicit RMSprop(Parameters& params, RMSpropOptions options = {});
};

// m = beta1 · m + (1 - beta1) g;  v = beta2 · v + (1 - beta2) g²;  p -= lr · m̂ / (√v̂ + eps) (Kingma and Ba 2015), with
// m̂ = m / (1 - beta1ᵗ), v̂ = v / (1 - beta2ᵗ) in step t. With amsgrad the largest v so far stands in place of v in v̂.
// Lazy: m and v are means over the steps in which a row occurs, corrected for t as if it had occurred in all: a row
// that first occurs late takes a larger first step, up to (1 - beta1) / √(1 - beta2) · lr ≈ 3 lr, not lr.
struct ESPALIER_API Adam : Optimizer {
  explicit Adam(Parameters& params, AdamOptions options = {});
};

// Adam with p *= 1 - lr · decay in place of g += decay · p (Loshchilov and Hutter 2019).
struct ESPALIER_API AdamW : Optimizer {
  explicit AdamW(Parameters& params, AdamOptions options = {});
};

}  // namespace optim
}  // namespace espalier
