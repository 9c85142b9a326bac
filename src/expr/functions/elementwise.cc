#include <espalier/expr/functions/elementwise.h>

#include "expr/functions/function.h"
#include "op/all.h"

namespace espalier {

Expr operator+(Operand a, Operand b) { return single<op::Add>({a, b}, {}, a.at); }
Expr operator-(Operand a, Operand b) { return single<op::Sub>({a, b}, {}, a.at); }
Expr operator*(Operand a, Operand b) { return single<op::Mul>({a, b}, {}, a.at); }
Expr operator/(Operand a, Operand b) { return single<op::Div>({a, b}, {}, a.at); }
Expr operator-(Operand a) { return single<op::Neg>({a}, {}, a.at); }

#define ESPALIER_DEFINE(name, Op) \
  Expr name(Expr x, Where at) { return single<op::Op>({x}, {}, at); }
ESPALIER_UNARY_OPS(ESPALIER_DEFINE)
#undef ESPALIER_DEFINE
#define ESPALIER_DEFINE(name, Op, attribute, otherwise) \
  Expr name(Expr x, float attribute, Where at) { return single<op::Op>({x}, {attribute}, at); }
ESPALIER_UNARY_OPS_1(ESPALIER_DEFINE)
#undef ESPALIER_DEFINE

}  // namespace espalier
