// The loop over the elements of an Update, one vector at a time; a rule updates one vector. Written with explicit
// vectors, because g++ does not vectorise a loop with a square root (which may set errno).
#if defined(ESPALIER_OPTIM_UPDATE_LOOP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ESPALIER_OPTIM_UPDATE_LOOP_INL_H
#undef ESPALIER_OPTIM_UPDATE_LOOP_INL_H
#else
#define ESPALIER_OPTIM_UPDATE_LOOP_INL_H
#endif

#include <cstring>
#include <utility>

#include <hwy/highway.h>
#include "optim/state.h"

HWY_BEFORE_NAMESPACE();
namespace espalier::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lane = hn::ScalableTag<float>;
using Vector = hn::Vec<Lane>;

// p = rule(g, p, moments…) for each vector, with g = scale · gradient + l2 · p; the rule loads and stores the moments.
template <class Rule, size_t... K>
HWY_INLINE void update_all(const Update u, const Rule& rule, std::index_sequence<K...>) {
  const Lane d;
  const auto scale = hn::Set(d, u.scale), l2 = hn::Set(d, u.rates.l2);
  const auto at = [&](const float* gradient, float* value, auto*... moment) HWY_ATTR {
    const auto p = hn::LoadU(d, value);
    hn::StoreU(rule(hn::MulAdd(scale, hn::LoadU(d, gradient), hn::Mul(l2, p)), p, moment...), d, value);
  };
  const size_t lanes = hn::Lanes(d), whole = u.n / lanes * lanes, left = (u.n - whole) * sizeof(float);
  for (size_t i = 0; i < whole; i += lanes) at(u.gradient + i, u.value + i, u.moment[K] + i...);
  if (left == 0) return;
  // The tail is copied to a full vector: the same operations, without reading past the end.
  float gradient[hn::MaxLanes(d)] = {}, value[hn::MaxLanes(d)] = {};
  float moment[max_moments][hn::MaxLanes(d)] = {};
  std::memcpy(gradient, u.gradient + whole, left);
  std::memcpy(value, u.value + whole, left);
  (std::memcpy(moment[K], u.moment[K] + whole, left), ...);
  at(gradient, value, moment[K]...);
  std::memcpy(u.value + whole, value, left);
  (std::memcpy(u.moment[K] + whole, moment[K], left), ...);
}

template <int moments, class Rule>
HWY_INLINE void update_all(const Update& u, const Rule& rule) {
  update_all(u, rule, std::make_index_sequence<static_cast<size_t>(moments)>());
}

// Moves the mean towards x and returns it: mean = keep · mean + rest · x.
HWY_INLINE Vector move_mean(Vector keep, Vector rest, Vector x, float* mean) {
  const auto moved = hn::MulAdd(keep, hn::LoadU(Lane(), mean), hn::Mul(rest, x));
  hn::StoreU(moved, Lane(), mean);
  return moved;
}

}  // namespace espalier::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
