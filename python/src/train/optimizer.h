// An optimiser or moving average, with the parameters it belongs to.
#pragma once
#include <memory>

#include <espalier/optim/moving_average.h>
#include <espalier/optim/optimizer.h>
#include "python/src/train/group.h"

namespace espalier::python {

struct PythonOptimizer {
  std::shared_ptr<Group> group;
  optim::Optimizer optimizer;
};

struct PythonAverage {
  std::shared_ptr<Group> group;
  optim::MovingAverage average;
};

}  // namespace espalier::python
