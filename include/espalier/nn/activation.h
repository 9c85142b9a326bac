// A function of elements, given to a module by its name: MLP(p / "scores", {20, 30, 5}, relu).
#pragma once
#include <espalier/expr/functions/elementwise.h>

namespace espalier::nn {

using Activation = Expr (*)(Expr, Where);

}  // namespace espalier::nn
