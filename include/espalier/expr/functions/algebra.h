// Linear algebra of one matrix per row, by Gaussian elimination with partial pivoting, in double.
#pragma once
#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr inverse(Expr x, ESPALIER_AT);  // all elements NaN if x is singular
ESPALIER_API Expr logdet(Expr x, ESPALIER_AT);   // -inf if the determinant is 0, NaN if it is negative

}  // namespace espalier
