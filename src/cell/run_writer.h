// Writes an element-wise run as one list of primitive instructions, with registers reused after their last reader.
#pragma once
#include <functional>

#include "cell/program.h"

namespace espalier {

// `rows_of` says where an operand or result lives, `stored` whether a node of the run must be written to memory.
Run write_run(const Program& program, const std::vector<int>& nodes, const std::function<RowsOf(int)>& rows_of,
              const std::function<bool(int)>& stored);

}  // namespace espalier
