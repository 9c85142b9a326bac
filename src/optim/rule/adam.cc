// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019), which differ in how the decay is applied; both with
// optional AMSGrad (Reddi et al. 2018).
#include <cmath>

#include "optim/need.h"
#include "optim/state.h"

namespace espalier {
namespace detail {
namespace {

enum class Decay { in_gradient, decoupled };

class AdamState final : public OptimizerState {
 public:
  AdamState(Decay where, Parameters& params, const optim::AdamOptions& o)
      : OptimizerState(name(where), params, {o.lr, o.weight_decay, o.clip_norm}),
        where_(where),
        rule_{o.beta1, o.beta2, 1, o.eps, o.amsgrad} {
    need_below_one(name(where), "beta1", o.beta1);
    need_below_one(name(where), "beta2", o.beta2);
    need_above_zero(name(where), "eps", o.eps);
  }

  std::string_view rule() const override { return name(where_); }
  std::span<const std::string_view> moments() const override {
    static constexpr std::string_view names[] = {"m", "v", "v_max"};
    return {names, static_cast<size_t>(rule_.moments())};
  }

 protected:
  void begin(uint64_t step) override {
    const double t = static_cast<double>(step);
    correct1_ = 1 / (1 - std::pow(static_cast<double>(rule_.beta1), t));
    rule_.correct2 = static_cast<float>(1 / std::sqrt(1 - std::pow(static_cast<double>(rule_.beta2), t)));
  }

  Rates rates(float lr, float decay) const override {
    const bool decoupled = where_ == Decay::decoupled;
    return {.rate = static_cast<float>(static_cast<double>(lr) * correct1_),
            .l2 = decoupled ? 0 : decay,
            .shrink = decoupled ? 1 - lr * decay : 1};
  }
  AnyRule any_rule() const override { return rule_; }

 private:
  static std::string_view name(Decay where) { return where == Decay::decoupled ? "adamw" : "adam"; }

  Decay where_;
  AdamRule rule_;
  double correct1_ = 1;  // 1 / (1 - beta1ᵗ)
};

}  // namespace
}  // namespace detail

namespace optim {
Adam::Adam(Parameters& params, AdamOptions options)
    : Optimizer(std::make_shared<detail::AdamState>(detail::Decay::in_gradient, params, options)) {}
AdamW::AdamW(Parameters& params, AdamOptions options)
    : Optimizer(std::make_shared<detail::AdamState>(detail::Decay::decoupled, params, options)) {}
}  // namespace optim

}  // namespace espalier
