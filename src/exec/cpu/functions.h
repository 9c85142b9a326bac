// Which function runs an op on the CPU.
#pragma once
#include "exec/launch.h"

namespace espalier {

// Our own version where there is one, else the plain one. Null for an element-wise op: those run by cpu_run.
OpFunction<float> cpu_function(const OpInfo* op);

}  // namespace espalier
