// Written with vectors, as g++ keeps a loop with a square root scalar (it might set errno).
#include "optim/adam_loop.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optim/adam_loop.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace espalier::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void run(const AdamLoop& a, float* p, const float* gradient, float* m, float* v, size_t n) {
  const hn::ScalableTag<float> d;
  const auto scale = hn::Set(d, a.scale), l2 = hn::Set(d, a.l2), shrink = hn::Set(d, a.shrink);
  const auto beta1 = hn::Set(d, a.beta1), rest1 = hn::Set(d, 1 - a.beta1);
  const auto beta2 = hn::Set(d, a.beta2), rest2 = hn::Set(d, 1 - a.beta2);
  const auto rate = hn::Set(d, a.rate), correct2 = hn::Set(d, a.correct2), eps = hn::Set(d, a.eps);
  const auto at = [&](float* p_at, const float* gradient_at, float* m_at, float* v_at) HWY_ATTR {
    const auto value = hn::LoadU(d, p_at);
    const auto g = hn::MulAdd(scale, hn::LoadU(d, gradient_at), hn::Mul(l2, value));
    const auto m_new = hn::MulAdd(beta1, hn::LoadU(d, m_at), hn::Mul(rest1, g));
    const auto v_new = hn::MulAdd(beta2, hn::LoadU(d, v_at), hn::Mul(hn::Mul(rest2, g), g));
    const auto change = hn::Div(hn::Mul(rate, m_new), hn::MulAdd(hn::Sqrt(v_new), correct2, eps));
    hn::StoreU(m_new, d, m_at);
    hn::StoreU(v_new, d, v_at);
    hn::StoreU(hn::Sub(hn::Mul(shrink, value), change), d, p_at);
  };
  const size_t lanes = hn::Lanes(d), whole = n / lanes * lanes, left = (n - whole) * sizeof(float);
  for (size_t i = 0; i < whole; i += lanes) at(p + i, gradient + i, m + i, v + i);
  if (left == 0) return;
  // The last ones pass through a full vector of their own: the same operations, and nothing is read past the end.
  constexpr size_t room = hn::MaxLanes(d);
  float last_p[room] = {}, last_gradient[room] = {}, last_m[room] = {}, last_v[room] = {};
  std::memcpy(last_p, p + whole, left);
  std::memcpy(last_gradient, gradient + whole, left);
  std::memcpy(last_m, m + whole, left);
  std::memcpy(last_v, v + whole, left);
  at(last_p, last_gradient, last_m, last_v);
  std::memcpy(p + whole, last_p, left);
  std::memcpy(m + whole, last_m, left);
  std::memcpy(v + whole, last_v, left);
}

}  // namespace espalier::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier::detail {

HWY_EXPORT(run);

void adam_loop(const AdamLoop& a, float* p, const float* gradient, float* m, float* v, size_t n) {
  HWY_DYNAMIC_DISPATCH(run)(a, p, gradient, m, v, n);
}

}  // namespace espalier::detail
#endif
