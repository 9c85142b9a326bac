// Functions along an axis. Axis -1 is the last.
#pragma once
#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr softmax(Expr x, int axis = -1, ESPALIER_AT);
ESPALIER_API Expr log_softmax(Expr x, int axis = -1, ESPALIER_AT);
ESPALIER_API Expr logsumexp(Expr x, int axis = -1, ESPALIER_AT);  // -inf without elements, or if all are -inf
ESPALIER_API Expr max_axis(Expr x, int axis, ESPALIER_AT);
ESPALIER_API Expr min_axis(Expr x, int axis, ESPALIER_AT);
// 1 at the first largest element, else 0. The gradient is 0, or that of the identity with straight_through.
ESPALIER_API Expr argmax_one_hot(Expr x, int axis = -1, bool straight_through = false, ESPALIER_AT);
ESPALIER_API Expr cumsum(Expr x, int axis, ESPALIER_AT);

}  // namespace espalier
