// Functions of elements. Two shapes are equal, or one is a scalar, or say broadcast().
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
#define ESPALIER_DECLARE(name, Op, attribute, otherwise) \
  ESPALIER_API Expr name(Expr x, float attribute = otherwise, ESPALIER_AT);
ESPALIER_UNARY_OPS_1(ESPALIER_DECLARE)
#undef ESPALIER_DECLARE

}  // namespace espalier
