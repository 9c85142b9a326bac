// Norms and normalisations.
#pragma once
#include <optional>

#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr squared_norm(Expr x, ESPALIER_AT);
ESPALIER_API Expr l2_norm(Expr x, ESPALIER_AT);  // the gradient at 0 is 0
// Along the last axis. layer_norm: mean 0, variance 1; rms_norm: mean square 1. Then times weight, plus bias, if given.
ESPALIER_API Expr layer_norm(Expr x, std::optional<Operand> weight = {}, std::optional<Operand> bias = {},
                             float eps = 1e-5f, ESPALIER_AT);
ESPALIER_API Expr rms_norm(Expr x, std::optional<Operand> weight = {}, float eps = 1e-5f, ESPALIER_AT);
ESPALIER_API Expr weight_norm(Operand w, Operand g);  // g w / |w|

}  // namespace espalier
