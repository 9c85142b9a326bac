// any_elementwise: records any element-wise op of the table in a random program. No op is named here.
#pragma once
#include <array>

#include <espalier/expr/expr.h>

namespace espalier::law {

// Records sample `which` (modulo the number of samples of all ops) with as many operands as its op takes. The operands
// are first mapped into the range of the sample, where the op is smooth and its results are moderate.
Expr any_elementwise(unsigned which, const std::array<Expr, 3>& operands);

}  // namespace espalier::law
