// Fused kernels on the CPU: an interpreter that takes a block of four vectors through all primitives before the
// next block, so that everything between operands and results stays in registers or the first-level cache.
#pragma once
#include <cstddef>

#include "exec/launch.h"

namespace espalier {

size_t cpu_fused_scratch(const FusedKernel& fused);  // floats of scratch that cpu_fused needs

// Rows of results must overlap neither operands nor each other. Only elements of rows are read or written, and the
// value of an element does not depend on its position. Accuracy of the functions: exec/cpu/elementwise/math-inl.h.
void cpu_fused(const FusedLaunch<float>& launch, float* scratch);

}  // namespace espalier
