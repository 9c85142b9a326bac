// The tasks of espalier train as benchmarks: training only, with their default settings and data. Their product FLOPs
// are counted at run time, not computed from a formula.
#pragma once
#include <vector>

#include "bench/task.h"
#include "task/training_task.h"

namespace espalier::app::bench {

std::vector<TaskKind> trained_kinds();

}  // namespace espalier::app::bench
