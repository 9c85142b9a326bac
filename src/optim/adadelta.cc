// Adadelta (Zeiler 2012).
#include "exec/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optim/adadelta.cc"
#include <hwy/foreach_target.h>
#include "optim/need.h"
#include "optim/walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace espalier::detail::HWY_NAMESPACE {

void adadelta(const Update& u, const AdadeltaRule& a) {
  const Lane d;
  const auto lr = hn::Set(d, u.rates.rate), keep = hn::Set(d, a.rho), rest = hn::Set(d, 1 - a.rho),
             eps = hn::Set(d, a.eps);
  walk<2>(u, [&](Vector g, Vector p, float* square_avg, float* acc_delta) HWY_ATTR {
    const auto square = move_mean(keep, hn::Mul(rest, g), g, square_avg);
    const auto size = hn::Sqrt(hn::Add(hn::LoadU(d, acc_delta), eps));
    const auto delta = hn::Mul(hn::Div(size, hn::Sqrt(hn::Add(square, eps))), g);
    move_mean(keep, hn::Mul(rest, delta), delta, acc_delta);
    return hn::NegMulAdd(lr, delta, p);
  });
}

}  // namespace espalier::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier {
namespace detail {
namespace {

HWY_EXPORT(adadelta);

class AdadeltaState final : public OptimizerState {
 public:
  AdadeltaState(Parameters& params, const optim::AdadeltaOptions& o)
      : OptimizerState("adadelta", params, {o.lr, o.weight_decay, o.clip_norm}), rule_{o.rho, o.eps} {
    need_below_one("adadelta", "rho", o.rho);
    need_above_zero("adadelta", "eps", o.eps);
  }

  std::string_view rule() const override { return "adadelta"; }
  std::span<const std::string_view> moments() const override {
    static constexpr std::string_view names[] = {"square_avg", "acc_delta"};
    return names;
  }

 protected:
  void apply(const Update& u) const override { HWY_DYNAMIC_DISPATCH(adadelta)(u, rule_); }
  AnyRule device_rule() const override { return rule_; }

 private:
  AdadeltaRule rule_;
};

}  // namespace
}  // namespace detail

namespace optim {
Adadelta::Adadelta(Parameters& params, AdadeltaOptions options)
    : Optimizer(std::make_shared<detail::AdadeltaState>(params, options)) {}
}  // namespace optim

}  // namespace espalier
#endif
