// Stochastic gradient descent, with momentum (Polyak 1964), Nesterov momentum (Sutskever et al. 2013), and a cyclical
// learning rate (Smith 2017).
#include "optim/need.h"
#include "optim/state.h"

namespace espalier {
namespace detail {
namespace {

class SgdState final : public OptimizerState {
 public:
  SgdState(Parameters& params, const optim::SGDOptions& o)
      : OptimizerState("sgd", params, {o.lr, o.weight_decay, o.clip_norm}),
        momentum_(o.momentum),
        nesterov_(o.nesterov) {
    need_below_one("sgd", "momentum", momentum_);
    if (nesterov_ && momentum_ == 0) throw Error("sgd: nesterov is given without momentum; it needs momentum > 0");
  }

  std::string_view rule() const override { return "sgd"; }
  std::span<const std::string_view> moments() const override {
    static constexpr std::string_view names[] = {"momentum"};
    return {names, momentum_ > 0 ? 1u : 0u};
  }

 protected:
  AnyRule any_rule() const override {
    if (momentum_ == 0) return SgdRule{};
    return MomentumRule{momentum_, nesterov_};
  }

 private:
  float momentum_;
  bool nesterov_;
};

}  // namespace
}  // namespace detail

namespace optim {
SGD::SGD(Parameters& params, SGDOptions options) : Optimizer(std::make_shared<detail::SgdState>(params, options)) {}

CyclicalSGD::CyclicalSGD(Parameters& params, CyclicalSGDOptions o)
    : SGD(params, {o.base_lr, o.momentum, o.weight_decay, o.clip_norm, o.nesterov}) {
  set_schedule(
      CyclicLR(o.base_lr, o.max_lr, {.step_size_up = o.step_size, .mode = CyclicMode::exp_range, .gamma = o.gamma}));
}
}  // namespace optim

}  // namespace espalier
