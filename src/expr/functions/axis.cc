#include <espalier/expr/functions/axis.h>

#include "expr/functions/function.h"
#include "op/mean.h"

namespace espalier {

Expr softmax(Expr x, int axis, Where at) { return single<op::Softmax>({x}, {axis_of(x, axis)}, at); }
Expr log_softmax(Expr x, int axis, Where at) { return single<op::LogSoftmax>({x}, {axis_of(x, axis)}, at); }
Expr sum_axis(Expr x, int axis, Where at) { return single<op::SumAxis>({x}, {axis_of(x, axis)}, at); }
Expr mean_axis(Expr x, int axis, Where at) { return single<op::MeanAxis>({x}, {axis_of(x, axis)}, at); }
Expr sum_elements(Expr x, Where at) { return single<op::SumElements>({x}, {}, at); }
Expr mean_elements(Expr x, Where at) { return single<op::MeanElements>({x}, {}, at); }

}  // namespace espalier
