// Sums, means and moments over all elements of a row, or along one axis, which is removed. Axis -1 is the last.
#pragma once
#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr sum_elements(Expr x, ESPALIER_AT);
ESPALIER_API Expr mean_elements(Expr x, ESPALIER_AT);
ESPALIER_API Expr moment_elements(Expr x, int r, ESPALIER_AT);  // Σ xʳ / n
ESPALIER_API Expr var_elements(Expr x, ESPALIER_AT);            // divides by n, not n - 1
ESPALIER_API Expr std_elements(Expr x, ESPALIER_AT);            // the gradient at 0 is 0
ESPALIER_API Expr sum_axis(Expr x, int axis, ESPALIER_AT);
ESPALIER_API Expr mean_axis(Expr x, int axis, ESPALIER_AT);
ESPALIER_API Expr moment_axis(Expr x, int r, int axis, ESPALIER_AT);
ESPALIER_API Expr var_axis(Expr x, int axis, ESPALIER_AT);
ESPALIER_API Expr std_axis(Expr x, int axis, ESPALIER_AT);

}  // namespace espalier
