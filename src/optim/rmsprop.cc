// RMSProp (Tieleman and Hinton 2012), plain or centered (Graves 2013), with or without momentum.
#include "exec/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optim/rmsprop.cc"
#include <hwy/foreach_target.h>
#include "optim/need.h"
#include "optim/walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace espalier::detail::HWY_NAMESPACE {

// Of the moments, the mean of squares is always there; then come, as far as they are, the mean and the momentum.
template <bool centered, bool with_momentum>
HWY_INLINE void rmsprop_walk(const Update& u, float alpha, float eps_, float momentum_) {
  const Lane d;
  const auto lr = hn::Set(d, u.lr), eps = hn::Set(d, eps_), momentum = hn::Set(d, momentum_);
  const auto keep = hn::Set(d, alpha), rest = hn::Set(d, 1 - alpha);
  walk<1 + centered + with_momentum>(u, u.decay, [&](Numbers g, Numbers p, float* square_avg, auto*... more) HWY_ATTR {
    auto square = move_mean(keep, hn::Mul(rest, g), g, square_avg);
    [[maybe_unused]] float* const others[] = {more..., nullptr};
    if constexpr (centered) {
      const auto mean = move_mean(keep, rest, g, others[0]);
      square = hn::Max(hn::NegMulAdd(mean, mean, square), hn::Zero(d));  // rounding may put it below zero
    }
    const auto change = hn::Div(g, hn::Add(hn::Sqrt(square), eps));
    if constexpr (!with_momentum) {
      return hn::NegMulAdd(lr, change, p);
    } else {
      float* const buffer = others[centered];
      const auto sum = hn::MulAdd(momentum, hn::LoadU(d, buffer), change);
      hn::StoreU(sum, d, buffer);
      return hn::NegMulAdd(lr, sum, p);
    }
  });
}

void rmsprop(const Update& u, float alpha, float eps, float) { rmsprop_walk<false, false>(u, alpha, eps, 0); }
void rmsprop_centered(const Update& u, float alpha, float eps, float) { rmsprop_walk<true, false>(u, alpha, eps, 0); }
void rmsprop_momentum(const Update& u, float alpha, float eps, float momentum) {
  rmsprop_walk<false, true>(u, alpha, eps, momentum);
}
void rmsprop_centered_momentum(const Update& u, float alpha, float eps, float momentum) {
  rmsprop_walk<true, true>(u, alpha, eps, momentum);
}

}  // namespace espalier::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier {
namespace detail {
namespace {

HWY_EXPORT(rmsprop);
HWY_EXPORT(rmsprop_centered);
HWY_EXPORT(rmsprop_momentum);
HWY_EXPORT(rmsprop_centered_momentum);

class RmspropState final : public OptimizerState {
 public:
  RmspropState(Parameters& params, const optim::RMSpropOptions& o)
      : OptimizerState("rmsprop", params, {o.lr, o.weight_decay, o.clip_norm}),
        alpha_(o.alpha),
        eps_(o.eps),
        momentum_(o.momentum),
        centered_(o.centered) {
    need_below_one("rmsprop", "alpha", alpha_);
    need_above_zero("rmsprop", "eps", eps_);
    need_below_one("rmsprop", "momentum", momentum_);
  }

  std::string_view rule() const override { return "rmsprop"; }
  std::span<const std::string_view> moments() const override {
    static constexpr std::string_view all[] = {"square_avg", "grad_avg", "momentum"};
    static constexpr std::string_view not_centered[] = {"square_avg", "momentum"};
    const size_t n = momentum_ > 0 ? 2 : 1;
    return centered_ ? std::span<const std::string_view>(all, n + 1) : std::span(not_centered, n);
  }

 protected:
  void apply(const Update& u) const override {
    if (centered_ && momentum_ > 0) return HWY_DYNAMIC_DISPATCH(rmsprop_centered_momentum)(u, alpha_, eps_, momentum_);
    if (centered_) return HWY_DYNAMIC_DISPATCH(rmsprop_centered)(u, alpha_, eps_, momentum_);
    if (momentum_ > 0) return HWY_DYNAMIC_DISPATCH(rmsprop_momentum)(u, alpha_, eps_, momentum_);
    HWY_DYNAMIC_DISPATCH(rmsprop)(u, alpha_, eps_, momentum_);
  }

 private:
  float alpha_, eps_, momentum_;
  bool centered_;
};

}  // namespace
}  // namespace detail

namespace optim {
RMSprop::RMSprop(Parameters& params, RMSpropOptions options)
    : Optimizer(std::make_shared<detail::RmspropState>(params, options)) {}
}  // namespace optim

}  // namespace espalier
#endif
