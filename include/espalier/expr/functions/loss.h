// Losses: from a row, or a pair of rows, to a number.
#pragma once
#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr cross_entropy(Expr logits, Index target, ESPALIER_AT);
ESPALIER_API Expr mse_loss(Operand x, Operand target);  // mean of squares

}  // namespace espalier
