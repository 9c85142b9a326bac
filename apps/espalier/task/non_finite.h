// Numbers that are NaN or infinite.
#pragma once
#include <string>

#include <espalier/optim/optimizer.h>
#include <espalier/param/parameters.h>

namespace espalier::app {

// The first parameter that has some: "parameter 'out.weight' has 3 non-finite numbers of 600"; empty: all are finite.
std::string non_finite(Parameters& params);
// Likewise of what the optimiser keeps: "'adam.v/out.weight' has …".
std::string non_finite(optim::Optimizer& optimizer);

}  // namespace espalier::app
