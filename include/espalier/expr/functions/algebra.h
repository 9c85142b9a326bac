// Matrices, one per row. Elimination with partial pivoting, in double.
#pragma once
#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr inverse(Expr x, ESPALIER_AT);  // of a singular matrix, NaN in every element
ESPALIER_API Expr logdet(Expr x, ESPALIER_AT);   // -inf where the determinant is 0, NaN where it is negative

}  // namespace espalier
