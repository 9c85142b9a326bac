// Variants of softmax: sparse, with upper bounds, or masked. Axis -1 is the last.
#pragma once
#include <span>

#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr sparsemax(Expr x, int axis = -1, ESPALIER_AT);
ESPALIER_API Expr sparsemax_loss(Expr x, Operand target, ESPALIER_AT);  // the target is a distribution
// Softmax of a vector with an upper bound per element. If the bounds add up to less than 1, the result is the bounds.
ESPALIER_API Expr constrained_softmax(Expr x, Operand bounds, ESPALIER_AT);

// log_softmax over the elements whose mask is above 0; the others are -inf and get no gradient. The mask is data: calls
// with different masks batch together.
ESPALIER_API Expr masked_log_softmax(Expr x, Operand mask, int axis = -1, ESPALIER_AT);
// The same for a vector, outside a cell: `support` lists the indices of the unmasked elements.
ESPALIER_API Expr log_softmax(Expr x, std::span<const int> support, ESPALIER_AT);

}  // namespace espalier
