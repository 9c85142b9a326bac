#include <espalier/expr/functions/moment.h>

#include "expr/functions/function.h"
#include "op/composed/moment.h"

namespace espalier {

Expr sum_elements(Expr x, Where at) { return single<op::SumElements>({x}, {}, at); }
Expr mean_elements(Expr x, Where at) { return single<op::MeanElements>({x}, {}, at); }
Expr moment_elements(Expr x, int r, Where at) { return single<op::MomentElements>({x}, {r}, at); }
Expr var_elements(Expr x, Where at) { return single<op::VarElements>({x}, {}, at); }
Expr std_elements(Expr x, Where at) { return single<op::StdElements>({x}, {}, at); }
Expr sum_axis(Expr x, int axis, Where at) { return single<op::SumAxis>({x}, {axis_of(x, axis)}, at); }
Expr mean_axis(Expr x, int axis, Where at) { return single<op::MeanAxis>({x}, {axis_of(x, axis)}, at); }
Expr moment_axis(Expr x, int r, int axis, Where at) { return single<op::MomentAxis>({x}, {r, axis_of(x, axis)}, at); }
Expr var_axis(Expr x, int axis, Where at) { return single<op::VarAxis>({x}, {axis_of(x, axis)}, at); }
Expr std_axis(Expr x, int axis, Where at) { return single<op::StdAxis>({x}, {axis_of(x, axis)}, at); }

}  // namespace espalier
