// The tasks of espalier train as tasks of the benchmark: measured in training, with their own settings, on their own
// data. Products are those that ran, not those of a formula.
#pragma once
#include <vector>

#include "bench/task.h"
#include "task/training_task.h"

namespace espalier::app::bench {

std::vector<TaskKind> trained_kinds();

}  // namespace espalier::app::bench
