#include <espalier/expr/functions/elementwise.h>

#include "expr/functions/function.h"
#include "op/all.h"

namespace espalier {
namespace {

// Bodies of ops with a float attribute, composed of other ops so that the attribute is an operand (see by_numbers).
template <class Op>
constexpr BodyFunction body_of = nullptr;
template <>
constexpr BodyFunction body_of<op::Elu> = [](const Body& f) {
  const Term below = apply<op::Min>({}, {f[0], op::number(f[0], 0)});
  return op::where(f[0], f[0], f[1] * apply<op::Expm1>({}, {below}));
};
template <>
constexpr BodyFunction body_of<op::LeakyRelu> = [](const Body& f) { return op::where(f[0], f[0], f[1] * f[0]); };

template <class Op, class A>
Expr unary(Expr x, A attribute, Where at) {
  if constexpr (body_of<Op> != nullptr) return by_numbers<Op>(x, {attribute}, at, body_of<Op>);
  return single<Op>({x}, {attribute}, at);
}

// The gradient is 0 outside lo … hi and at both bounds.
Term clamp_by_numbers(const Body& f) {
  const Term x = f[0], lo = f[1], hi = f[2];
  const Term inside = apply<op::Min>({}, {x - lo, hi - x});
  const Term y = apply<op::Min>({}, {apply<op::Max>({}, {x, lo}), hi});
  return op::where(inside, x, apply<op::StopGradient>({}, {y}));
}

}  // namespace

Expr operator+(Operand a, Operand b) { return single<op::Add>({a, b}, {}, a.at); }
Expr operator-(Operand a, Operand b) { return single<op::Sub>({a, b}, {}, a.at); }
Expr operator*(Operand a, Operand b) { return single<op::Mul>({a, b}, {}, a.at); }
Expr operator/(Operand a, Operand b) { return single<op::Div>({a, b}, {}, a.at); }
Expr operator-(Operand a) { return single<op::Neg>({a}, {}, a.at); }

#define ESPALIER_DEFINE(name, Op) \
  Expr name(Expr x, Where at) { return single<op::Op>({x}, {}, at); }
ESPALIER_UNARY_OPS(ESPALIER_DEFINE)
#undef ESPALIER_DEFINE
#define ESPALIER_DEFINE(name, Op, type, attribute, otherwise) \
  Expr name(Expr x, type attribute, Where at) { return unary<op::Op>(x, attribute, at); }
ESPALIER_UNARY_OPS_1(ESPALIER_DEFINE)
#undef ESPALIER_DEFINE
#define ESPALIER_DEFINE(name, Op) \
  Expr name(Operand a, Operand b) { return single<op::Op>({a, b}, {}, a.at); }
ESPALIER_BINARY_OPS(ESPALIER_DEFINE)
#undef ESPALIER_DEFINE

Expr clamp(Expr x, float lo, float hi, Where at) {
  if (!(lo <= hi)) return single<op::Clamp>({x}, {lo, hi}, at);  // throws the ShapeError
  return by_numbers<op::Clamp>(x, {lo, hi}, at, clamp_by_numbers);
}
Expr where(Operand condition, Operand a, Operand b) { return single<op::Choose>({condition, a, b}, {}, condition.at); }

}  // namespace espalier
