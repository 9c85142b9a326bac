// Activation: an element-wise function passed to a module: MLP(p / "scores", {20, 30, 5}, relu).
#pragma once
#include <espalier/expr/functions/elementwise.h>

namespace espalier::nn {

using Activation = Expr (*)(Expr, Where);

}  // namespace espalier::nn
