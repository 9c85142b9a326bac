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
HWY_INLINE void rmsprop_walk(const Update& u, const RmspropRule& a) {
  const Lane d;
  const auto lr = hn::Set(d, u.rates.rate), eps = hn::Set(d, a.eps), momentum = hn::Set(d, a.momentum);
  const auto keep = hn::Set(d, a.alpha), rest = hn::Set(d, 1 - a.alpha);
  walk<1 + centered + with_momentum>(u, [&](Vector g, Vector p, float* square_avg, auto*... more) HWY_ATTR {
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

void rmsprop(const Update& u, const RmspropRule& a) { rmsprop_walk<false, false>(u, a); }
void rmsprop_centered(const Update& u, const RmspropRule& a) { rmsprop_walk<true, false>(u, a); }
void rmsprop_momentum(const Update& u, const RmspropRule& a) { rmsprop_walk<false, true>(u, a); }
void rmsprop_centered_momentum(const Update& u, const RmspropRule& a) { rmsprop_walk<true, true>(u, a); }

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
        rule_{o.alpha, o.eps, o.momentum, o.centered} {
    need_below_one("rmsprop", "alpha", o.alpha);
    need_above_zero("rmsprop", "eps", o.eps);
    need_below_one("rmsprop", "momentum", o.momentum);
  }

  std::string_view rule() const override { return "rmsprop"; }
  std::span<const std::string_view> moments() const override {
    static constexpr std::string_view all[] = {"square_avg", "grad_avg", "momentum"};
    static constexpr std::string_view not_centered[] = {"square_avg", "momentum"};
    const auto n = static_cast<size_t>(rule_.moments());
    return rule_.centered ? std::span<const std::string_view>(all, n) : std::span(not_centered, n);
  }

 protected:
  void apply(const Update& u) const override {
    const bool momentum = rule_.momentum > 0;
    if (rule_.centered && momentum) return HWY_DYNAMIC_DISPATCH(rmsprop_centered_momentum)(u, rule_);
    if (rule_.centered) return HWY_DYNAMIC_DISPATCH(rmsprop_centered)(u, rule_);
    if (momentum) return HWY_DYNAMIC_DISPATCH(rmsprop_momentum)(u, rule_);
    HWY_DYNAMIC_DISPATCH(rmsprop)(u, rule_);
  }
  AnyRule device_rule() const override { return rule_; }

 private:
  RmspropRule rule_;
};

}  // namespace
}  // namespace detail

namespace optim {
RMSprop::RMSprop(Parameters& params, RMSpropOptions options)
    : Optimizer(std::make_shared<detail::RmspropState>(params, options)) {}
}  // namespace optim

}  // namespace espalier
#endif
