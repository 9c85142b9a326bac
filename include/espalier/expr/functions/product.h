// Products. W a Parameter is shared by all calls: one large product; W a row is one small product per call.
#pragma once
#include <optional>

#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr linear(Expr x, Operand W, std::optional<Operand> b = {}, ESPALIER_AT);  // W x + b
ESPALIER_API Expr matmul(Operand a, Operand b, ESPALIER_AT);                              // matrices or vectors
ESPALIER_API Expr dot(Operand a, Operand b);

}  // namespace espalier
