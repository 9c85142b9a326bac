// Functions along an axis; -1 is the last.
#pragma once
#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr softmax(Expr x, int axis = -1, ESPALIER_AT);
ESPALIER_API Expr log_softmax(Expr x, int axis = -1, ESPALIER_AT);
ESPALIER_API Expr sum_axis(Expr x, int axis, ESPALIER_AT);
ESPALIER_API Expr mean_axis(Expr x, int axis, ESPALIER_AT);
ESPALIER_API Expr sum_elements(Expr x, ESPALIER_AT);
ESPALIER_API Expr mean_elements(Expr x, ESPALIER_AT);

}  // namespace espalier
