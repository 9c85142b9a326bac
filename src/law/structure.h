// Laws of graphs, cells, schedules and plans, which hold before anything is computed.
#pragma once
#include "law/check.h"
#include "law/world.h"

namespace espalier::law {

// `own_slope` becomes true where an op occurs whose gradient is not its slope.
Verdict structure(const Recipe& recipe, const World& world, bool& own_slope);

}  // namespace espalier::law
