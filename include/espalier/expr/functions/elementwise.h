// Element-wise functions. Two shapes must be equal, or one must be a scalar; use broadcast() otherwise.
#pragma once
#include <espalier/expr/expr.h>
#include <espalier/op/list.h>

namespace espalier {

ESPALIER_API Expr operator+(Operand a, Operand b);
ESPALIER_API Expr operator-(Operand a, Operand b);
ESPALIER_API Expr operator*(Operand a, Operand b);
ESPALIER_API Expr operator/(Operand a, Operand b);
ESPALIER_API Expr operator-(Operand a);

#define ESPALIER_DECLARE(name, Op) ESPALIER_API Expr name(Expr x, ESPALIER_AT);
ESPALIER_UNARY_OPS(ESPALIER_DECLARE)
#undef ESPALIER_DECLARE
#define ESPALIER_DECLARE(name, Op, type, attribute, otherwise) \
  ESPALIER_API Expr name(Expr x, type attribute = otherwise, ESPALIER_AT);
ESPALIER_UNARY_OPS_1(ESPALIER_DECLARE)
#undef ESPALIER_DECLARE
// The overload for two Exprs takes precedence over std::max where both are visible.
#define ESPALIER_DECLARE(name, Op)              \
  ESPALIER_API Expr name(Operand a, Operand b); \
  inline Expr name(Expr a, Expr b, ESPALIER_AT) { return name(Operand(a, at), Operand(b, at)); }
ESPALIER_BINARY_OPS(ESPALIER_DECLARE)
#undef ESPALIER_DECLARE

ESPALIER_API Expr clamp(Expr x, float lo, float hi, ESPALIER_AT);
ESPALIER_API Expr where(Operand condition, Operand a, Operand b);  // a if the condition is above 0, else b

}  // namespace espalier
