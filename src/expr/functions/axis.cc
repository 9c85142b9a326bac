#include <espalier/expr/functions/axis.h>

#include "expr/functions/function.h"
#include "op/kernel/cumulative.h"
#include "op/kernel/extrema.h"
#include "op/kernel/logsumexp.h"

namespace espalier {

Expr softmax(Expr x, int axis, Where at) { return single<op::Softmax>({x}, {axis_of(x, axis)}, at); }
Expr log_softmax(Expr x, int axis, Where at) { return single<op::LogSoftmax>({x}, {axis_of(x, axis)}, at); }
Expr logsumexp(Expr x, int axis, Where at) { return single<op::LogSumExp>({x}, {axis_of(x, axis)}, at); }
Expr max_axis(Expr x, int axis, Where at) { return single<op::MaxAxis>({x}, {axis_of(x, axis)}, at); }
Expr min_axis(Expr x, int axis, Where at) { return single<op::MinAxis>({x}, {axis_of(x, axis)}, at); }
Expr argmax_one_hot(Expr x, int axis, bool straight_through, Where at) {
  return single<op::ArgmaxOneHot>({x}, {axis_of(x, axis), straight_through}, at);
}
Expr cumsum(Expr x, int axis, Where at) { return single<op::Cumsum>({x}, {axis_of(x, axis), false}, at); }

}  // namespace espalier
