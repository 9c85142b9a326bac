// Products. If W is a Parameter, all calls share it: one large product. If W is a row: one small product per call.
#pragma once
#include <initializer_list>
#include <optional>
#include <utility>

#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr linear(Expr x, Operand W, std::optional<Operand> b = {}, ESPALIER_AT);  // W x + b
ESPALIER_API Expr matmul(Operand a, Operand b, ESPALIER_AT);                              // matrices or vectors
ESPALIER_API Expr dot(Operand a, Operand b);
ESPALIER_API Expr outer(Operand a, Operand b);                // a[i] b[j]
ESPALIER_API Expr bilinear(Operand a, Operand b, Operand W);  // Σ_ij a[i] W[k,i,j] b[j]
ESPALIER_API Expr trace_of_product(Operand a, Operand b);     // tr(a bᵀ)
ESPALIER_API Expr add_columns(Operand x, Operand b);          // x[i,j] + b[i]
// b + W₁ x₁ + W₂ x₂ + …: affine(b, {{W, x}, {U, h}})
ESPALIER_API Expr affine(Operand b, std::initializer_list<std::pair<Operand, Operand>> products, ESPALIER_AT);

}  // namespace espalier
