// Every element-wise op of the table, as recipes use it. No op is named here.
#pragma once
#include <array>

#include <espalier/expr/expr.h>

namespace espalier::law {

// One sample of one op, the `which`-th of all (counted around), of as many operands as it takes. What it is given is
// brought into the sample's range first: there the op is smooth, and its results are moderate.
Expr any_elementwise(unsigned which, const std::array<Expr, 3>& operands);

}  // namespace espalier::law
