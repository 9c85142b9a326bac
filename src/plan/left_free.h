// Ranges that are free after several steps that run as one kernel.
#pragma once
#include "plan/plan.h"

namespace espalier {

// The ranges that these steps free and no later step among them takes again.
std::vector<Range> left_free(const Plan& plan, const Layout& layout, size_t first_step, size_t steps);

}  // namespace espalier
