#include "exec/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optim/rule/updates.cc"
#include <hwy/foreach_target.h>
#include "optim/rule/update_loop-inl.h"
#include "optim/rule/updates.h"

HWY_BEFORE_NAMESPACE();
namespace espalier::detail::HWY_NAMESPACE {

// ---- SGD

void sgd(const Update& u) {
  const auto lr = hn::Set(Lane(), u.rates.rate);
  update_all<0>(u, [&](Vector g, Vector p) HWY_ATTR { return hn::NegMulAdd(lr, g, p); });
}

template <bool nesterov>
HWY_INLINE void momentum_update(const Update& u, float momentum) {
  const Lane d;
  const auto lr = hn::Set(d, u.rates.rate), keep = hn::Set(d, momentum);
  update_all<1>(u, [&](Vector g, Vector p, float* b) HWY_ATTR {
    const auto sum = hn::MulAdd(keep, hn::LoadU(d, b), g);
    hn::StoreU(sum, d, b);
    return hn::NegMulAdd(lr, nesterov ? hn::MulAdd(keep, sum, g) : sum, p);
  });
}

void sgd_momentum(const Update& u, float momentum) { momentum_update<false>(u, momentum); }
void sgd_nesterov(const Update& u, float momentum) { momentum_update<true>(u, momentum); }

// ---- Adagrad

void adagrad(const Update& u, const AdagradRule& a) {
  const Lane d;
  const auto rate = hn::Set(d, u.rates.rate), eps = hn::Set(d, a.eps);
  update_all<1>(u, [&](Vector g, Vector p, float* sum) HWY_ATTR {
    const auto squares = hn::MulAdd(g, g, hn::LoadU(d, sum));
    hn::StoreU(squares, d, sum);
    return hn::Sub(p, hn::Div(hn::Mul(rate, g), hn::Add(hn::Sqrt(squares), eps)));
  });
}

// ---- Adadelta

void adadelta(const Update& u, const AdadeltaRule& a) {
  const Lane d;
  const auto lr = hn::Set(d, u.rates.rate), keep = hn::Set(d, a.rho), rest = hn::Set(d, 1 - a.rho),
             eps = hn::Set(d, a.eps);
  update_all<2>(u, [&](Vector g, Vector p, float* square_avg, float* acc_delta) HWY_ATTR {
    const auto square = move_mean(keep, hn::Mul(rest, g), g, square_avg);
    const auto size = hn::Sqrt(hn::Add(hn::LoadU(d, acc_delta), eps));
    const auto delta = hn::Mul(hn::Div(size, hn::Sqrt(hn::Add(square, eps))), g);
    move_mean(keep, hn::Mul(rest, delta), delta, acc_delta);
    return hn::NegMulAdd(lr, delta, p);
  });
}

// ---- RMSProp

// Moments, in order: the mean of squares; the mean, if centered; the momentum, if any.
template <bool centered, bool with_momentum>
HWY_INLINE void rmsprop_update(const Update& u, const RmspropRule& a) {
  const Lane d;
  const auto lr = hn::Set(d, u.rates.rate), eps = hn::Set(d, a.eps), momentum = hn::Set(d, a.momentum);
  const auto keep = hn::Set(d, a.alpha), rest = hn::Set(d, 1 - a.alpha);
  update_all<1 + centered + with_momentum>(u, [&](Vector g, Vector p, float* square_avg, auto*... more) HWY_ATTR {
    auto square = move_mean(keep, hn::Mul(rest, g), g, square_avg);
    [[maybe_unused]] float* const others[] = {more..., nullptr};
    if constexpr (centered) {
      const auto mean = move_mean(keep, rest, g, others[0]);
      square = hn::Max(hn::NegMulAdd(mean, mean, square), hn::Zero(d));  // rounding may make it negative
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

void rmsprop(const Update& u, const RmspropRule& a) { rmsprop_update<false, false>(u, a); }
void rmsprop_centered(const Update& u, const RmspropRule& a) { rmsprop_update<true, false>(u, a); }
void rmsprop_momentum(const Update& u, const RmspropRule& a) { rmsprop_update<false, true>(u, a); }
void rmsprop_centered_momentum(const Update& u, const RmspropRule& a) { rmsprop_update<true, true>(u, a); }

// ---- Adam

template <bool amsgrad>
HWY_INLINE void adam_update(const Update& u, const AdamRule a) {
  const Lane d;
  const auto shrink = hn::Set(d, u.rates.shrink), rate = hn::Set(d, u.rates.rate);
  const auto beta1 = hn::Set(d, a.beta1), rest1 = hn::Set(d, 1 - a.beta1);
  const auto beta2 = hn::Set(d, a.beta2), rest2 = hn::Set(d, 1 - a.beta2);
  const auto correct2 = hn::Set(d, a.correct2), eps = hn::Set(d, a.eps);
  update_all<amsgrad ? 3 : 2>(u, [&](Vector g, Vector p, float* m, float* v, auto*... v_max) HWY_ATTR {
    const auto mean = move_mean(beta1, rest1, g, m);
    auto square = move_mean(beta2, hn::Mul(rest2, g), g, v);
    if constexpr (amsgrad) {
      square = hn::Max(square, hn::LoadU(d, v_max...));
      hn::StoreU(square, d, v_max...);
    }
    return hn::Sub(hn::Mul(shrink, p), hn::Div(hn::Mul(rate, mean), hn::MulAdd(hn::Sqrt(square), correct2, eps)));
  });
}

void adam(const Update& u, const AdamRule& a) { adam_update<false>(u, a); }
void adam_amsgrad(const Update& u, const AdamRule& a) { adam_update<true>(u, a); }

}  // namespace espalier::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier::detail {
namespace {

HWY_EXPORT(sgd);
HWY_EXPORT(sgd_momentum);
HWY_EXPORT(sgd_nesterov);
HWY_EXPORT(adagrad);
HWY_EXPORT(adadelta);
HWY_EXPORT(rmsprop);
HWY_EXPORT(rmsprop_centered);
HWY_EXPORT(rmsprop_momentum);
HWY_EXPORT(rmsprop_centered_momentum);
HWY_EXPORT(adam);
HWY_EXPORT(adam_amsgrad);

void update(const SgdRule&, const Update& u) { HWY_DYNAMIC_DISPATCH(sgd)(u); }
void update(const MomentumRule& rule, const Update& u) {
  if (rule.nesterov) return HWY_DYNAMIC_DISPATCH(sgd_nesterov)(u, rule.momentum);
  HWY_DYNAMIC_DISPATCH(sgd_momentum)(u, rule.momentum);
}
void update(const AdagradRule& rule, const Update& u) { HWY_DYNAMIC_DISPATCH(adagrad)(u, rule); }
void update(const AdadeltaRule& rule, const Update& u) { HWY_DYNAMIC_DISPATCH(adadelta)(u, rule); }
void update(const RmspropRule& rule, const Update& u) {
  const bool momentum = rule.momentum > 0;
  if (rule.centered && momentum) return HWY_DYNAMIC_DISPATCH(rmsprop_centered_momentum)(u, rule);
  if (rule.centered) return HWY_DYNAMIC_DISPATCH(rmsprop_centered)(u, rule);
  if (momentum) return HWY_DYNAMIC_DISPATCH(rmsprop_momentum)(u, rule);
  HWY_DYNAMIC_DISPATCH(rmsprop)(u, rule);
}
void update(const AdamRule& rule, const Update& u) {
  if (rule.amsgrad) return HWY_DYNAMIC_DISPATCH(adam_amsgrad)(u, rule);
  HWY_DYNAMIC_DISPATCH(adam)(u, rule);
}

}  // namespace

void apply_rule(const AnyRule& rule, const Update& u) {
  std::visit([&](const auto& r) { update(r, u); }, rule);
}

}  // namespace espalier::detail
#endif
