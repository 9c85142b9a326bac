// Adadelta (Zeiler 2012).
#include "optim/need.h"
#include "optim/state.h"

namespace espalier {
namespace detail {
namespace {

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
  AnyRule any_rule() const override { return rule_; }

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
