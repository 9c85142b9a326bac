// Kin of softmax with exact zeros, with bounds, or with elements left out. An axis of -1 is the last.
#pragma once
#include <span>

#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr sparsemax(Expr x, int axis = -1, ESPALIER_AT);
ESPALIER_API Expr sparsemax_loss(Expr x, Operand target, ESPALIER_AT);  // the target is a distribution
// Softmax of a vector, no element above its bound. Where the bounds add up to less than 1, the bounds themselves.
ESPALIER_API Expr constrained_softmax(Expr x, Operand bounds, ESPALIER_AT);

// log_softmax over the elements where the mask is above 0; -inf elsewhere, without a gradient. The mask is data: calls
// with other masks run together.
ESPALIER_API Expr masked_log_softmax(Expr x, Operand mask, int axis = -1, ESPALIER_AT);
// The same of a vector, outside a cell: the support names the elements that count.
ESPALIER_API Expr log_softmax(Expr x, std::span<const int> support, ESPALIER_AT);

}  // namespace espalier
