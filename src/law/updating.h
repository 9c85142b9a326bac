// The law of updating: after its parameters have changed, a graph gives the loss, the gradients and the values of a
// fresh recording, to the bit; and after they have changed back, a rerun gives what it gave at first.
#pragma once
#include "law/check.h"
#include "law/world.h"

namespace espalier::law {

// Changes parameters, and changes them back.
Verdict updating(const Recipe& recipe, const World& world);

}  // namespace espalier::law
