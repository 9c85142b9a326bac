// The input data that a plan reads.
#pragma once
#include "plan/plan.h"

namespace espalier {

// The range of GraphTape::data from the first to the last element that the plan reads. A graph that runs in many rounds
// reads a different range in each.
Range data_read(const Plan& plan, const Layout& layout);

}  // namespace espalier
