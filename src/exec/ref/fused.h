// Fused kernels in double, the reference for all other executors.
#pragma once
#include "exec/launch.h"

namespace espalier {

void ref_fused(const FusedLaunch<double>& launch);

}  // namespace espalier
