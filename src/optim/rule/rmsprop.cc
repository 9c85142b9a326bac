// RMSProp (Tieleman and Hinton 2012), plain or centered (Graves 2013), with or without momentum.
#include "optim/need.h"
#include "optim/state.h"

namespace espalier {
namespace detail {
namespace {

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
  AnyRule any_rule() const override { return rule_; }

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
