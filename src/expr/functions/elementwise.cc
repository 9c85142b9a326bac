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
#define ESPALIER_DEFINE(name, Op, type, attribute, otherwise) \
  Expr name(Expr x, type attribute, Where at) { return single<op::Op>({x}, {attribute}, at); }
ESPALIER_UNARY_OPS_1(ESPALIER_DEFINE)
#undef ESPALIER_DEFINE
#define ESPALIER_DEFINE(name, Op) \
  Expr name(Operand a, Operand b) { return single<op::Op>({a, b}, {}, a.at); }
ESPALIER_BINARY_OPS(ESPALIER_DEFINE)
#undef ESPALIER_DEFINE

Expr clamp(Expr x, float lo, float hi, Where at) { return single<op::Clamp>({x}, {lo, hi}, at); }
Expr where(Operand condition, Operand a, Operand b) { return single<op::Choose>({condition, a, b}, {}, condition.at); }

}  // namespace espalier
