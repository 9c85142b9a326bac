// Optimisers: rules that change parameters by their gradients. The recurrences and defaults are PyTorch's.
//
// A lookup table is updated by the lazy rule: only rows that occur in the gradient change, in value, moments and decay;
// the others rest, as if the step had not been. For SGD without momentum and decay this is the dense rule exactly.
// Likewise a parameter that has no gradient in a step rests in that step. Frozen parameters rest always.
#pragma once
#include <memory>
#include <optional>
#include <string_view>

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
  void set_lr(float lr);  // Error unless finite and ≥ 0

  // Parameters whose name matches get lr · lr_factor, and their own weight decay where one is given. The last group
  // that matches counts, also for parameters made later.
  void group(std::string_view glob, float lr_factor, std::optional<float> weight_decay = {});

  detail::OptimizerState& state() const { return *state_; }

 protected:
  explicit Optimizer(std::shared_ptr<detail::OptimizerState> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<detail::OptimizerState> state_;
};

// clip_norm > 0 scales the gradients so that their norm over all parameters of the optimiser is at most that.
struct SGDOptions {
  float lr = 0.1f, momentum = 0, weight_decay = 0, clip_norm = 0;
  bool nesterov = false;
};
struct AdamOptions {
  float lr = 1e-3f, beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f, weight_decay = 0, clip_norm = 0;
};

// g += decay · p;  b = momentum · b + g;  p -= lr · b, or with nesterov p -= lr · (g + momentum · b).
struct ESPALIER_API SGD : Optimizer {
  explicit SGD(Parameters& params, SGDOptions options = {});
};

// g += decay · p;  m, v = running means of g, g²;  p -= lr · m̂ / (√v̂ + eps) (Kingma and Ba 2015). The corrections
// m̂ = m / (1 - beta1ᵗ), v̂ = v / (1 - beta2ᵗ) count t in steps of the optimiser, for rare rows and late parameters too.
struct ESPALIER_API Adam : Optimizer {
  explicit Adam(Parameters& params, AdamOptions options = {});
};

// Adam with p *= 1 - lr · decay in place of g += decay · p (Loshchilov and Hutter 2019).
struct ESPALIER_API AdamW : Optimizer {
  explicit AdamW(Parameters& params, AdamOptions options = {});
};

}  // namespace optim
}  // namespace espalier
