// Writes element-wise nodes as one list of primitive instructions; registers are reused after their last reader.
#pragma once
#include <functional>

#include "cell/program.h"

namespace espalier {

// `rows_of(node)`: where an operand or result is stored; `stored(node)`: whether a result must be written to memory.
FusedKernel write_fused_kernel(const Program& program, const std::vector<int>& nodes,
                               const std::function<RowsOf(int)>& rows_of, const std::function<bool(int)>& stored);

}  // namespace espalier
