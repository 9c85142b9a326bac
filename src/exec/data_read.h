// Which of the numbers that the user gave a plan reads.
#pragma once
#include "plan/plan.h"

namespace espalier {

// From the first to the last of them, as elements of GraphTape::data. Of a graph that runs in many rounds, each round
// reads its own.
Range data_read(const Plan& plan, const Layout& layout);

}  // namespace espalier
