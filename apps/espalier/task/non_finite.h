// Detects parameters and optimiser state that are NaN or infinite.
#pragma once
#include <string>

#include <espalier/optim/optimizer.h>
#include <espalier/param/parameters.h>

namespace espalier::app {

// Describes the first parameter with non-finite values: "parameter 'out.weight' has 3 non-finite values of 600"; empty:
// all are finite.
std::string non_finite(Parameters& params);
// The same for the optimiser's state: "'adam.v/out.weight' has …".
std::string non_finite(optim::Optimizer& optimizer);

}  // namespace espalier::app
