// Functions of a vector of floats, for every float including NaN and the infinities. Error against the exact result, in
// units in the last place of a float, denormal results included (tests/exec/math_test.cc):
//
//   vector_exp      1.1    inf above 88.73, 0 below -103.98
//   vector_expm1    1.8
//   vector_tanh     2.5
//   vector_sigmoid  2.5
//   vector_log      1.0    -inf at 0, NaN below
//   vector_log1p    2.5    -inf at -1, NaN below
//   vector_sin      2.5    } up to |x| = 1000, and within 1e-6 of the exact value up to 39000;
//   vector_cos      2.5    } from there on computed one by one in double
//   hn::Atan        2.5
//   vector_erf      1.5
//   vector_lgamma   0.6    } one by one in double
//   vector_digamma  0.6    } -inf at 0, NaN at negative integers
//   vector_pow      1.0    one by one
#if defined(ESPALIER_EXEC_CPU_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ESPALIER_EXEC_CPU_MATH_INL_H
#undef ESPALIER_EXEC_CPU_MATH_INL_H
#else
#define ESPALIER_EXEC_CPU_MATH_INL_H
#endif

#include <cmath>
#include <limits>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "op/gamma.h"

HWY_BEFORE_NAMESPACE();
namespace espalier::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr float infinity = std::numeric_limits<float>::infinity();

// Maximum and minimum; NaN if v is NaN.
template <class D, class V>
HWY_INLINE V at_least(D d, V v, float low) {
#if HWY_TARGET <= HWY_SSSE3
  (void)d;
  return hn::Max(hn::Set(d, low), v);  // x86 returns the second operand if either is NaN
#else
  return hn::IfThenElse(hn::Lt(v, hn::Set(d, low)), hn::Set(d, low), v);
#endif
}
template <class D, class V>
HWY_INLINE V at_most(D d, V v, float high) {
#if HWY_TARGET <= HWY_SSSE3
  (void)d;
  return hn::Min(hn::Set(d, high), v);
#else
  return hn::IfThenElse(hn::Gt(v, hn::Set(d, high)), hn::Set(d, high), v);
#endif
}

// 2^n, for -126 ≤ n ≤ 127.
template <class D, class VI>
HWY_INLINE hn::Vec<D> pow2(D d, VI n) {
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(hn::RebindToSigned<D>(), 127))));
}

// x = n log 2 + r with n integral and |r| ≤ log(2) / 2; for |x| < 1e6.
template <class D>
struct Reduced {
  hn::Vec<D> n;
  hn::Vec<hn::RebindToSigned<D>> integer;  // n again
  hn::Vec<D> r;
};
template <class D, class V>
HWY_INLINE Reduced<D> reduce(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V magic = hn::Set(d, 0x1.8p23f);  // adding it rounds to an integer in the low bits
  const V sum = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic);
  const V n = hn::Sub(sum, magic);
  const V r = hn::MulAdd(n, hn::Set(d, -0.693145752f), x);  // log 2 in two parts; n times the first is exact
  return {n, hn::Sub(hn::BitCast(di, sum), hn::BitCast(di, magic)), hn::MulAdd(n, hn::Set(d, -1.42860677e-6f), r)};
}

// y 2^n for -252 ≤ n ≤ 254, rounded once.
template <class D, class V>
HWY_INLINE V scale(D d, V y, const Reduced<D>& x) {
#if HWY_TARGET <= HWY_AVX3
  (void)d;
  return V{_mm512_scalef_ps(y.raw, x.n.raw)};
#else
  const auto half = hn::ShiftRight<1>(x.integer);
  return hn::Mul(hn::Mul(y, pow2(d, half)), pow2(d, hn::Sub(x.integer, half)));
#endif
}

// exp(r) - 1 for |r| ≤ log(2) / 2: r + r² q(r), q minimax of degree 4, relative error 1.6e-8.
template <class D, class V>
HWY_INLINE V expm1_reduced(D d, V r) {
  V q = hn::MulAdd(hn::Set(d, 0.001394646242260933f), r, hn::Set(d, 0.008366592228412628f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.04166628047823906f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.1666654348373413f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.5f));
  return hn::MulAdd(q, hn::Mul(r, r), r);
}

// exp for -104 ≤ x ≤ 89.
template <class D, class V>
HWY_INLINE V exp_within(D d, V x) {
  const Reduced<D> v = reduce(d, x);
  return scale(d, hn::Add(expm1_reduced(d, v.r), hn::Set(d, 1.0f)), v);
}

template <class D, class V>
HWY_INLINE V vector_exp(D d, V x) {
  return exp_within(d, at_most(d, at_least(d, x, -104.0f), 89.0f));
}

template <class D, class V>
HWY_INLINE V vector_expm1(D d, V x) {
  const Reduced<D> v = reduce(d, at_most(d, at_least(d, x, -20.0f), 89.0f));
  const V p = expm1_reduced(d, v.r);
  // (1 + p) 2^n - 1, as twice its half, because 2^128 is not a float.
  const V half = pow2(d, hn::Sub(v.integer, hn::Set(hn::RebindToSigned<D>(), 1)));
  const V y = hn::MulAdd(half, p, hn::Sub(half, hn::Set(d, 0.5f)));
  return hn::IfThenElse(hn::Eq(v.n, hn::Zero(d)), p, hn::Add(y, y));
}

// With e = exp(-|x|): 1 / (1 + e) from zero up, e / (1 + e) below: nothing overflows, nothing cancels.
template <class D, class V>
HWY_INLINE V vector_sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = exp_within(d, at_least(d, hn::Neg(hn::Abs(x)), -104.0f));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

// With t = exp(-2|x|) - 1: |tanh x| = -t / (2 + t).
template <class D, class V>
HWY_INLINE V vector_tanh(D d, V x) {
  const Reduced<D> v = reduce(d, at_least(d, hn::Mul(hn::Abs(x), hn::Set(d, -2.0f)), -20.0f));
  const V s = pow2(d, v.integer);
  const V t = hn::MulAdd(s, expm1_reduced(d, v.r), hn::Sub(s, hn::Set(d, 1.0f)));
  return hn::CopySign(hn::Div(t, hn::Add(t, hn::Set(d, 2.0f))), x);
}

// y if 0 < x < inf; otherwise the logarithm of 0, negative values, inf and NaN.
template <class D, class V>
HWY_INLINE V log_beyond(D d, V x, V y) {
  const V zero = hn::Zero(d), inf = hn::Set(d, infinity);
  const V beyond = hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, std::numeric_limits<float>::quiet_NaN()), x);
  const V special = hn::IfThenElse(hn::Eq(x, zero), hn::Set(d, -infinity), beyond);
  return hn::IfThenElse(hn::And(hn::Gt(x, zero), hn::Lt(x, inf)), y, special);
}

template <class D, class V>
HWY_INLINE V vector_log(D d, V x) {
  return log_beyond(d, x, hn::Log(d, x));
}

template <class D, class V>
HWY_INLINE V vector_log1p(D d, V x) {
  return log_beyond(d, hn::Add(x, hn::Set(d, 1.0f)), hn::Log1p(d, x));
}

// Below 1: x + x p(x²); from there on 1 - exp(-|x| q(|x|)), which is 1 from 3.92 up. p and q are minimax, for errors of
// the result of 1.2e-9 and 2.5e-9.
template <class D, class V>
HWY_INLINE V vector_erf(D d, V x) {
  const V a = at_most(d, hn::Abs(x), 4.0f), u = hn::Mul(a, a);
  V p = hn::MulAdd(hn::Set(d, 7.853839141e-5f), u, hn::Set(d, -0.0008010186662f));
  p = hn::MulAdd(p, u, hn::Set(d, 0.00518832684f));
  p = hn::MulAdd(p, u, hn::Set(d, -0.02685381142f));
  p = hn::MulAdd(p, u, hn::Set(d, 0.1128358513f));
  p = hn::MulAdd(p, u, hn::Set(d, -0.3761262582f));
  p = hn::MulAdd(p, u, hn::Set(d, 0.1283791657f));
  V q = hn::MulAdd(hn::Set(d, -0.0002106429901f), a, hn::Set(d, 0.003186922458f));
  q = hn::MulAdd(q, a, hn::Set(d, -0.02279832248f));
  q = hn::MulAdd(q, a, hn::Set(d, 0.1051158351f));
  q = hn::MulAdd(q, a, hn::Set(d, 0.6358317674f));
  q = hn::MulAdd(q, a, hn::Set(d, 1.128479937f));
  const V one = hn::Set(d, 1.0f), far = hn::Sub(one, exp_within(d, hn::Neg(hn::Mul(a, q))));
  return hn::CopySign(hn::IfThenElse(hn::Lt(a, one), hn::MulAdd(p, a, a), far), x);
}

constexpr float sine_limit = 39000;

// f(x) in double for elements above the limit or NaN, y for the others.
template <class D, class V>
HWY_NOINLINE V one_by_one(D d, V x, V y, double (*f)(double)) {
  HWY_ALIGN float from[hn::MaxLanes(D())];
  HWY_ALIGN float to[hn::MaxLanes(D())];
  hn::Store(x, d, from);
  hn::Store(y, d, to);
  for (size_t i = 0; i < hn::Lanes(d); ++i)
    if (!(std::fabs(from[i]) <= sine_limit)) to[i] = static_cast<float>(f(static_cast<double>(from[i])));
  return hn::Load(d, to);
}

template <class D, class V>
HWY_INLINE V vector_sin(D d, V x) {
  const auto within = hn::Le(hn::Abs(x), hn::Set(d, sine_limit));
  const V y = hn::Sin(d, hn::IfThenElseZero(within, x));
  return HWY_LIKELY(hn::AllTrue(d, within)) ? y : one_by_one(d, x, y, [](double v) { return std::sin(v); });
}

template <class D, class V>
HWY_INLINE V vector_cos(D d, V x) {
  const auto within = hn::Le(hn::Abs(x), hn::Set(d, sine_limit));
  const V y = hn::Cos(d, hn::IfThenElseZero(within, x));
  return HWY_LIKELY(hn::AllTrue(d, within)) ? y : one_by_one(d, x, y, [](double v) { return std::cos(v); });
}

template <class D, class V, class F>
HWY_INLINE V each(D d, V x, F f) {
  HWY_ALIGN float values[hn::MaxLanes(D())];
  hn::Store(x, d, values);
  for (size_t i = 0; i < hn::Lanes(d); ++i) values[i] = static_cast<float>(f(static_cast<double>(values[i])));
  return hn::Load(d, values);
}
template <class D, class V>
HWY_NOINLINE V vector_lgamma(D d, V x) {
  return each(d, x, log_gamma);
}
template <class D, class V>
HWY_NOINLINE V vector_digamma(D d, V x) {
  return each(d, x, digamma);
}
template <class D, class V>
HWY_NOINLINE V vector_pow(D d, V a, V b) {
  HWY_ALIGN float bases[hn::MaxLanes(D())];
  HWY_ALIGN float exponents[hn::MaxLanes(D())];
  hn::Store(a, d, bases);
  hn::Store(b, d, exponents);
  for (size_t i = 0; i < hn::Lanes(d); ++i) bases[i] = std::pow(bases[i], exponents[i]);
  return hn::Load(d, bases);
}

}  // namespace espalier::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ESPALIER_EXEC_CPU_MATH_INL_H
