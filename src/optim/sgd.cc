// Stochastic gradient descent, with momentum (Polyak 1964) and Nesterov's form of it (Sutskever et al. 2013), and with
// a rate that goes up and down (Smith 2017).
#include "exec/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optim/sgd.cc"
#include <hwy/foreach_target.h>
#include "optim/need.h"
#include "optim/walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace espalier::detail::HWY_NAMESPACE {

void sgd(const Update& u) {
  const auto lr = hn::Set(Lane(), u.rates.rate);
  walk<0>(u, [&](Vector g, Vector p) HWY_ATTR { return hn::NegMulAdd(lr, g, p); });
}

template <bool nesterov>
HWY_INLINE void momentum_walk(const Update& u, float momentum) {
  const Lane d;
  const auto lr = hn::Set(d, u.rates.rate), keep = hn::Set(d, momentum);
  walk<1>(u, [&](Vector g, Vector p, float* b) HWY_ATTR {
    const auto sum = hn::MulAdd(keep, hn::LoadU(d, b), g);
    hn::StoreU(sum, d, b);
    return hn::NegMulAdd(lr, nesterov ? hn::MulAdd(keep, sum, g) : sum, p);
  });
}

void sgd_momentum(const Update& u, float momentum) { momentum_walk<false>(u, momentum); }
void sgd_nesterov(const Update& u, float momentum) { momentum_walk<true>(u, momentum); }

}  // namespace espalier::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier {
namespace detail {
namespace {

HWY_EXPORT(sgd);
HWY_EXPORT(sgd_momentum);
HWY_EXPORT(sgd_nesterov);

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
  void apply(const Update& u) const override {
    if (momentum_ == 0) return HWY_DYNAMIC_DISPATCH(sgd)(u);
    if (nesterov_) return HWY_DYNAMIC_DISPATCH(sgd_nesterov)(u, momentum_);
    HWY_DYNAMIC_DISPATCH(sgd_momentum)(u, momentum_);
  }
  AnyRule device_rule() const override {
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
#endif
