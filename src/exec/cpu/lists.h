// Sums, maxima, softmax and logsumexp over the rows of a list, with SIMD across the elements of a row.
#pragma once
#include "exec/launch.h"

namespace espalier {

void cpu_sum_rows(const OpLaunch<float>& launch);
void cpu_max_rows(const OpLaunch<float>& launch);
void cpu_softmax_rows(const OpLaunch<float>& launch);
void cpu_logsumexp_rows(const OpLaunch<float>& launch);

// Adds all rows to `sum`, in order: the gradient of a bias.
void cpu_add_rows(int64_t rows, int64_t size, Rows<const float> x, float* sum);

}  // namespace espalier
