// A small, reproducible training run, to check that an engine still works after an error.
#pragma once
#include <string>
#include <vector>

#include <espalier/engine/engine.h>

namespace espalier::test {

// The losses of a few steps, followed by the values of all parameters.
std::vector<float> tiny_training(Engine& engine);

}  // namespace espalier::test
