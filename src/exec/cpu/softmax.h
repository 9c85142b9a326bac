// Softmax and related ops over the last axis, the maximum over it, and the sum of a row, with SIMD. Other axes use the
// plain versions.
#pragma once
#include "exec/launch.h"

namespace espalier {

void cpu_softmax(const OpLaunch<float>& launch);
void cpu_log_softmax(const OpLaunch<float>& launch);
void cpu_logsumexp(const OpLaunch<float>& launch);
void cpu_max_axis(const OpLaunch<float>& launch);
void cpu_cross_entropy(const OpLaunch<float>& launch);
void cpu_cross_entropy_gradient(const OpLaunch<float>& launch);
void cpu_sum_elements(const OpLaunch<float>& launch);

}  // namespace espalier
