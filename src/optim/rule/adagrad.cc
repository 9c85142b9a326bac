// Adagrad (Duchi et al. 2011).
#include "optim/need.h"
#include "optim/state.h"

namespace espalier {
namespace detail {
namespace {

class AdagradState final : public OptimizerState {
 public:
  AdagradState(Parameters& params, const optim::AdagradOptions& o)
      : OptimizerState("adagrad", params, {o.lr, o.weight_decay, o.clip_norm}),
        lr_decay_(o.lr_decay),
        initial_(o.initial_accumulator_value),
        eps_(o.eps) {
    need_at_least_zero("adagrad", "lr_decay", lr_decay_);
    need_at_least_zero("adagrad", "initial_accumulator_value", initial_);
    need_above_zero("adagrad", "eps", eps_);
  }

  std::string_view rule() const override { return "adagrad"; }
  std::span<const std::string_view> moments() const override {
    static constexpr std::string_view names[] = {"sum"};
    return names;
  }

 protected:
  float initial_moment() const override { return initial_; }
  void begin(uint64_t step) override { slower_ = 1 + static_cast<double>(step - 1) * static_cast<double>(lr_decay_); }
  Rates rates(float lr, float decay) const override {
    return {.rate = static_cast<float>(static_cast<double>(lr) / slower_), .l2 = decay};
  }
  AnyRule any_rule() const override { return AdagradRule{eps_}; }

 private:
  float lr_decay_, initial_, eps_;
  double slower_ = 1;  // the divisor of the rate
};

}  // namespace
}  // namespace detail

namespace optim {
Adagrad::Adagrad(Parameters& params, AdagradOptions options)
    : Optimizer(std::make_shared<detail::AdagradState>(params, options)) {}
}  // namespace optim

}  // namespace espalier
