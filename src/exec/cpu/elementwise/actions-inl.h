// The actions of the interpreter for fused kernels, one per primitive. An action processes a block of four vectors,
// which pass from action to action in registers (the accumulators), and ends with a tail call of the next action. So a
// chain of primitives reads memory only for operands other than the previous result.
#if defined(ESPALIER_EXEC_CPU_ACTIONS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ESPALIER_EXEC_CPU_ACTIONS_INL_H
#undef ESPALIER_EXEC_CPU_ACTIONS_INL_H
#else
#define ESPALIER_EXEC_CPU_ACTIONS_INL_H
#endif

#include <array>

#include <hwy/highway.h>

#include "exec/cpu/elementwise/math-inl.h"
#include "op/formula.h"

HWY_BEFORE_NAMESPACE();
namespace espalier::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using V = hn::Vec<Floats>;
constexpr Floats d;

HWY_INLINE size_t lanes() { return hn::Lanes(d); }
HWY_INLINE size_t block_size() { return 4 * lanes(); }

// a, b and c point to the current addresses of the operands (of a store: a, to that of the result).
struct Action {
  using Function = void (*)(const Action*, V, V, V, V);
  Function function = nullptr;
  float* const* a = nullptr;
  float* const* b = nullptr;
  float* const* c = nullptr;
};

HWY_INLINE void next(const Action* i, V v0, V v1, V v2, V v3) { i[1].function(i + 1, v0, v1, v2, v3); }

inline void done(const Action*, V, V, V, V) {}

inline void load(const Action* i, V, V, V, V) {
  const float* a = *i->a;
  next(i, hn::LoadU(d, a), hn::LoadU(d, a + lanes()), hn::LoadU(d, a + 2 * lanes()), hn::LoadU(d, a + 3 * lanes()));
}
inline void store(const Action* i, V v0, V v1, V v2, V v3) {
  float* a = *i->a;
  hn::StoreU(v0, d, a);
  hn::StoreU(v1, d, a + lanes());
  hn::StoreU(v2, d, a + 2 * lanes());
  hn::StoreU(v3, d, a + 3 * lanes());
  next(i, v0, v1, v2, v3);
}

template <class P>
void unary(const Action* i, V v0, V v1, V v2, V v3) {
  next(i, P::of(v0), P::of(v1), P::of(v2), P::of(v3));
}

// An operand: the accumulator, or memory.
template <bool Accumulated>
HWY_INLINE V operand(V v, const float* memory) {
  if constexpr (Accumulated)
    return v;
  else
    return hn::LoadU(d, memory);
}
template <class P, bool A, bool B>
void binary(const Action* i, V v0, V v1, V v2, V v3) {
  const float* a = *i->a;
  const float* b = *i->b;
  const size_t n = lanes();
  next(i, P::of(operand<A>(v0, a), operand<B>(v0, b)), P::of(operand<A>(v1, a + n), operand<B>(v1, b + n)),
       P::of(operand<A>(v2, a + 2 * n), operand<B>(v2, b + 2 * n)),
       P::of(operand<A>(v3, a + 3 * n), operand<B>(v3, b + 3 * n)));
}

// b if a is not 0 (NaN is not 0), otherwise c.
template <bool A>
void choose(const Action* i, V v0, V v1, V v2, V v3) {
  const float* a = *i->a;
  const float *b = *i->b, *c = *i->c;
  auto one = [&](V v, size_t at) HWY_ATTR {
    return hn::IfThenElse(hn::Eq(operand<A>(v, a + at), hn::Zero(d)), hn::LoadU(d, c + at), hn::LoadU(d, b + at));
  };
  next(i, one(v0, 0), one(v1, lanes()), one(v2, 2 * lanes()), one(v3, 3 * lanes()));
}

struct Negate {
  static HWY_INLINE V of(V a) { return hn::Neg(a); }
};
struct Absolute {
  static HWY_INLINE V of(V a) { return hn::Abs(a); }
};
struct SquareRoot {
  static HWY_INLINE V of(V a) { return hn::Sqrt(a); }
};
struct Exponential {
  static HWY_INLINE V of(V a) { return vector_exp(d, a); }
};
struct ExponentialM1 {
  static HWY_INLINE V of(V a) { return vector_expm1(d, a); }
};
struct Logarithm {
  static HWY_INLINE V of(V a) { return vector_log(d, a); }
};
struct Logarithm1p {
  static HWY_INLINE V of(V a) { return vector_log1p(d, a); }
};
struct HyperbolicTangent {
  static HWY_INLINE V of(V a) { return vector_tanh(d, a); }
};
struct Logistic {
  static HWY_INLINE V of(V a) { return vector_sigmoid(d, a); }
};
struct Sine {
  static HWY_INLINE V of(V a) { return vector_sin(d, a); }
};
struct Cosine {
  static HWY_INLINE V of(V a) { return vector_cos(d, a); }
};
struct ArcTangent {
  static HWY_INLINE V of(V a) { return hn::Atan(d, a); }
};
struct ErrorFunction {
  static HWY_INLINE V of(V a) { return vector_erf(d, a); }
};
struct LogGamma {
  static HWY_INLINE V of(V a) { return vector_lgamma(d, a); }
};
struct Digamma {
  static HWY_INLINE V of(V a) { return vector_digamma(d, a); }
};
struct Floor {
  static HWY_INLINE V of(V a) { return hn::Floor(a); }
};
struct Round {
  static HWY_INLINE V of(V a) { return hn::Round(a); }
};
struct Add {
  static HWY_INLINE V of(V a, V b) { return hn::Add(a, b); }
};
struct Subtract {
  static HWY_INLINE V of(V a, V b) { return hn::Sub(a, b); }
};
struct Multiply {
  static HWY_INLINE V of(V a, V b) { return hn::Mul(a, b); }
};
struct Divide {
  static HWY_INLINE V of(V a, V b) { return hn::Div(a, b); }
};
struct Minimum {
  static HWY_INLINE V of(V a, V b) { return hn::IfThenElse(hn::Lt(b, a), b, a); }
};
struct Maximum {
  static HWY_INLINE V of(V a, V b) { return hn::IfThenElse(hn::Lt(a, b), b, a); }
};
struct Power {
  static HWY_INLINE V of(V a, V b) { return vector_pow(d, a, b); }
};
struct Greater {
  static HWY_INLINE V of(V a, V b) { return hn::IfThenElseZero(hn::Gt(a, b), hn::Set(d, 1.0f)); }
};

// The actions of a primitive, by which operands are in the accumulators: none, a, b, both. Null entries are never used:
// a single operand is loaded first, and `choose` takes only its condition from the accumulators.
using Actions = std::array<Action::Function, 4>;
template <class P>
constexpr Actions of_one{nullptr, unary<P>, nullptr, nullptr};
template <class P>
constexpr Actions of_two{binary<P, false, false>, binary<P, true, false>, binary<P, false, true>,
                         binary<P, true, true>};

// In the order of enum Primitive. Constants have no actions.
constexpr std::array<Actions, 28> actions{
    Actions{},
    Actions{},  // copy: a load
    of_one<Negate>,
    of_one<Absolute>,
    of_one<SquareRoot>,
    of_one<Exponential>,
    of_one<ExponentialM1>,
    of_one<Logarithm>,
    of_one<Logarithm1p>,
    of_one<HyperbolicTangent>,
    of_one<Logistic>,
    of_one<Sine>,
    of_one<Cosine>,
    of_one<ArcTangent>,
    of_one<ErrorFunction>,
    of_one<LogGamma>,
    of_one<Digamma>,
    of_one<Floor>,
    of_one<Round>,
    of_two<Add>,
    of_two<Subtract>,
    of_two<Multiply>,
    of_two<Divide>,
    of_two<Minimum>,
    of_two<Maximum>,
    of_two<Power>,
    of_two<Greater>,
    Actions{choose<false>, choose<true>, nullptr, nullptr},
};
static_assert(actions.size() == static_cast<size_t>(Primitive::choose) + 1);

}  // namespace espalier::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ESPALIER_EXEC_CPU_ACTIONS_INL_H
