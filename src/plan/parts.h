// Weight gradients that are summed in parts: the gradients of rows that only these sums read live until their part is
// summed, not until the end of the backward pass.
#pragma once
#include "plan/plan.h"

namespace espalier {

// Whether only sums for dense parameters read the rows of the buffer. Not so if they are the gradients of inputs, or
// if a lookup table reads them.
bool is_read_by_sums_only(const Program& program, size_t buffer);

// The number of rows per part; 0: all rows at once. It depends on the sizes of the batch only, so results do not depend
// on the memory limit. Wide batches have parts of their own.
uint32_t rows_per_part(const CellBatch& batch, const PlanOptions& options);

}  // namespace espalier
