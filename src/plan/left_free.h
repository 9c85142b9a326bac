// What steps that run as one have freed: they cannot be looked at in between.
#pragma once
#include "plan/plan.h"

namespace espalier {

// What these steps free and none of them, later, takes again.
std::vector<Range> left_free(const Plan& plan, const Layout& layout, size_t first_step, size_t steps);

}  // namespace espalier
