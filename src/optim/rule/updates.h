// The update rules of rules.h over a range of elements, with SIMD instructions.
#pragma once
#include "optim/state.h"

namespace espalier::detail {

void apply_rule(const AnyRule& rule, const Update& update);

}  // namespace espalier::detail
