// Randomness. What is drawn follows from (seed, epoch, example, call, element), never from the batch.
#pragma once
#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr dropout(Expr x, float p, ESPALIER_AT);

}  // namespace espalier
