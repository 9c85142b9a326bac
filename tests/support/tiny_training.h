// A small training whose every number is known again: what an engine must still do after an error.
#pragma once
#include <string>
#include <vector>

#include <espalier/engine/engine.h>

namespace espalier::test {

// Losses of a few steps, then the values of all parameters.
std::vector<float> tiny_training(Engine& engine);

}  // namespace espalier::test
