// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019), which differ in where the decay goes; both with
// AMSGrad's maximum (Reddi et al. 2018) if asked for.
#include "exec/cpu/targets.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optim/adam.cc"
#include <hwy/foreach_target.h>
#include "optim/need.h"
#include "optim/walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace espalier::detail::HWY_NAMESPACE {

template <bool amsgrad>
HWY_INLINE void adam_walk(const Update& u, const AdamRule a) {
  const Lane d;
  const auto shrink = hn::Set(d, u.rates.shrink), rate = hn::Set(d, u.rates.rate);
  const auto beta1 = hn::Set(d, a.beta1), rest1 = hn::Set(d, 1 - a.beta1);
  const auto beta2 = hn::Set(d, a.beta2), rest2 = hn::Set(d, 1 - a.beta2);
  const auto correct2 = hn::Set(d, a.correct2), eps = hn::Set(d, a.eps);
  walk<amsgrad ? 3 : 2>(u, [&](Vector g, Vector p, float* m, float* v, auto*... v_max) HWY_ATTR {
    const auto mean = move_mean(beta1, rest1, g, m);
    auto square = move_mean(beta2, hn::Mul(rest2, g), g, v);
    if constexpr (amsgrad) {
      square = hn::Max(square, hn::LoadU(d, v_max...));
      hn::StoreU(square, d, v_max...);
    }
    return hn::Sub(hn::Mul(shrink, p), hn::Div(hn::Mul(rate, mean), hn::MulAdd(hn::Sqrt(square), correct2, eps)));
  });
}

void adam(const Update& u, const AdamRule& a) { adam_walk<false>(u, a); }
void adam_amsgrad(const Update& u, const AdamRule& a) { adam_walk<true>(u, a); }

}  // namespace espalier::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier {
namespace detail {
namespace {

HWY_EXPORT(adam);
HWY_EXPORT(adam_amsgrad);

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
  void apply(const Update& u) const override {
    if (rule_.amsgrad) return HWY_DYNAMIC_DISPATCH(adam_amsgrad)(u, rule_);
    HWY_DYNAMIC_DISPATCH(adam)(u, rule_);
  }
  AnyRule device_rule() const override { return rule_; }

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
#endif
