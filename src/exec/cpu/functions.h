// The functions that run ops on the CPU.
#pragma once
#include "exec/launch.h"

namespace espalier {

// The optimised version if there is one, otherwise the plain one. Null for element-wise ops, which run in cpu_fused.
OpFunction<float> cpu_function(const OpInfo* op);

}  // namespace espalier
