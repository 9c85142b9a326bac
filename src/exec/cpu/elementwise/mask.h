// Dropout masks with SIMD: most random numbers in training are drawn here.
#pragma once
#include "exec/launch.h"

namespace espalier {

void cpu_dropout_mask(const OpLaunch<float>& launch);  // same bits as the plain version

}  // namespace espalier
