// Laws of graphs, cells, schedules and plans that are checked without computing anything.
#pragma once
#include "law/program/check.h"
#include "law/program/random_model.h"

namespace espalier::law {

// Sets `own_slope` if the program contains an op whose gradient is not its derivative.
Verdict structure(const RandomProgram& program, const RandomModel& model, bool& own_slope);

}  // namespace espalier::law
