// An element-wise run in double: what every other executor is compared with.
#pragma once
#include "exec/launch.h"

namespace espalier {

void ref_run(const RunLaunch<double>& launch);

}  // namespace espalier
