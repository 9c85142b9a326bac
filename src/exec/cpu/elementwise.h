// Element-wise runs on the CPU: an interpreter that takes a block of four vectors through all primitives before the
// next block, so that everything between operands and results stays in registers or the first-level cache.
#pragma once
#include <cstddef>

#include "exec/launch.h"

namespace espalier {

size_t cpu_run_scratch(const Run& run);  // how many floats of scratch cpu_run needs

// Rows of results overlap neither operands nor each other. Nothing beyond the elements of a row is read or written, and
// an element's value does not depend on its place. Errors of the functions: exec/cpu/math-inl.h.
void cpu_run(const RunLaunch<float>& launch, float* scratch);

}  // namespace espalier
