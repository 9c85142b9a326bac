// Creates the optimiser selected by the settings.
#pragma once
#include "task/training_task.h"

namespace espalier::app {

optim::Optimizer make_optimizer(const TrainSettings& settings, Parameters& params);

}  // namespace espalier::app
