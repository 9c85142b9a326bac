// A fused kernel as CUDA source text. A thread computes `lanes` neighbouring elements of a row (1, 2 or 4), which it
// loads and stores as one vector.
#pragma once
#include <span>
#include <string>

#include "base/saturating_mask.h"
#include "cell/code.h"

namespace espalier {

inline constexpr const char* fused_kernel_name = "espalier_fused";
inline constexpr unsigned fused_kernel_threads = 256;

// Results that are also written to the bf16 copy (device/rounding.cuh), and results that are not written at all.
struct Results {
  SaturatingMask shadowed{}, unread{};
};
// Results that only the backward pass reads.
SaturatingMask unread_forward(const Code& code, const FusedKernel& fused);

// Parameters of the kernel: the number of rows, then pointer and stride of every operand and of every result, then the
// offset of the bf16 copy if any result is written there.
std::string cuda_source(const FusedKernel& fused, unsigned lanes, Results results = {});

// For persistent kernels: the code for one element, from operands a0, a1, ... to registers r0, r1, ...
std::string cuda_code(const FusedKernel& fused);
// The device functions that the code of these kernels calls, in namespace espalier.
std::string device_functions(std::span<const FusedKernel* const> kernels);

}  // namespace espalier
