// Element-wise runs on the CPU: an interpreter that takes each primitive over a tile of at most `tile_size` elements
// before the next, so that everything between operands and results stays in the first-level cache.
#pragma once
#include <cstddef>

#include "exec/launch.h"

namespace espalier {

constexpr size_t tile_size = 256;

size_t cpu_run_scratch(const Run& run);  // how many floats of scratch cpu_run needs

// Rows of results overlap neither operands nor each other. Nothing beyond the elements of a row is read or written, and
// an element's value does not depend on its place. Errors of the functions: exec/cpu/math-inl.h.
void cpu_run(const RunLaunch<float>& launch, float* scratch);

}  // namespace espalier
