// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019), which differ in where the decay goes; both with
// AMSGrad's maximum (Reddi et al. 2018) if asked for.
#include "exec/cpu/targets.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optim/adam.cc"
#include <hwy/foreach_target.h>
#include "optim/need.h"
#include "optim/walk-inl.h"

#ifndef ESPALIER_OPTIM_ADAM_NUMBERS
#define ESPALIER_OPTIM_ADAM_NUMBERS
namespace espalier::detail {
// m = beta1 · m + (1 - beta1) g;  v = beta2 · v + (1 - beta2) g²;  p = shrink · p - rate · m / (correct2 · √v + eps).
struct AdamNumbers {
  float shrink, beta1, beta2, rate, correct2, eps;
};
}  // namespace espalier::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace espalier::detail::HWY_NAMESPACE {

template <bool amsgrad>
HWY_INLINE void adam_walk(const Update& u, float l2, const AdamNumbers a) {
  const Lane d;
  const auto shrink = hn::Set(d, a.shrink), rate = hn::Set(d, a.rate);
  const auto beta1 = hn::Set(d, a.beta1), rest1 = hn::Set(d, 1 - a.beta1);
  const auto beta2 = hn::Set(d, a.beta2), rest2 = hn::Set(d, 1 - a.beta2);
  const auto correct2 = hn::Set(d, a.correct2), eps = hn::Set(d, a.eps);
  walk<amsgrad ? 3 : 2>(u, l2, [&](Numbers g, Numbers p, float* m, float* v, auto*... v_max) HWY_ATTR {
    const auto mean = move_mean(beta1, rest1, g, m);
    auto square = move_mean(beta2, hn::Mul(rest2, g), g, v);
    if constexpr (amsgrad) {
      square = hn::Max(square, hn::LoadU(d, v_max...));
      hn::StoreU(square, d, v_max...);
    }
    return hn::Sub(hn::Mul(shrink, p), hn::Div(hn::Mul(rate, mean), hn::MulAdd(hn::Sqrt(square), correct2, eps)));
  });
}

void adam(const Update& u, float l2, const AdamNumbers& a) { adam_walk<false>(u, l2, a); }
void adam_amsgrad(const Update& u, float l2, const AdamNumbers& a) { adam_walk<true>(u, l2, a); }

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
        beta1_(o.beta1),
        beta2_(o.beta2),
        eps_(o.eps),
        amsgrad_(o.amsgrad) {
    need_below_one(name(where), "beta1", beta1_);
    need_below_one(name(where), "beta2", beta2_);
    need_above_zero(name(where), "eps", eps_);
  }

  std::string_view rule() const override { return name(where_); }
  std::span<const std::string_view> moments() const override {
    static constexpr std::string_view names[] = {"m", "v", "v_max"};
    return {names, amsgrad_ ? 3u : 2u};
  }

 protected:
  void begin(uint64_t step) override {
    const double t = static_cast<double>(step);
    correct1_ = 1 / (1 - std::pow(static_cast<double>(beta1_), t));
    correct2_ = static_cast<float>(1 / std::sqrt(1 - std::pow(static_cast<double>(beta2_), t)));
  }

  void apply(const Update& u) const override {
    const bool decoupled = where_ == Decay::decoupled;
    const AdamNumbers numbers{.shrink = decoupled ? 1 - u.lr * u.decay : 1,
                              .beta1 = beta1_,
                              .beta2 = beta2_,
                              .rate = static_cast<float>(static_cast<double>(u.lr) * correct1_),
                              .correct2 = correct2_,
                              .eps = eps_};
    const float l2 = decoupled ? 0 : u.decay;
    if (amsgrad_) return HWY_DYNAMIC_DISPATCH(adam_amsgrad)(u, l2, numbers);
    HWY_DYNAMIC_DISPATCH(adam)(u, l2, numbers);
  }

 private:
  static std::string_view name(Decay where) { return where == Decay::decoupled ? "adamw" : "adam"; }

  Decay where_;
  float beta1_, beta2_, eps_;
  bool amsgrad_;
  double correct1_ = 1;  // 1 / (1 - beta1ᵗ)
  float correct2_ = 1;   // 1 / √(1 - beta2ᵗ)
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
