// Sums, maxima and softmax over the rows of a list, with SIMD across the elements of a row.
#pragma once
#include "exec/launch.h"

namespace espalier {

void cpu_sum_rows(const OpLaunch<float>& launch);
void cpu_max_rows(const OpLaunch<float>& launch);
void cpu_softmax_rows(const OpLaunch<float>& launch);

}  // namespace espalier
