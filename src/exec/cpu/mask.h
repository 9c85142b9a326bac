// The mask of dropout with SIMD: most of the random numbers of a training.
#pragma once
#include "exec/launch.h"

namespace espalier {

void cpu_dropout_mask(const OpLaunch<float>& launch);  // the bits of the plain version

}  // namespace espalier
