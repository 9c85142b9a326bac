// An element-wise run as CUDA source: its primitives, printed. A thread computes `lanes` neighbouring elements of a
// row, 1, 2 or 4, which it loads and stores at once.
#pragma once
#include <span>
#include <string>

#include "cell/code.h"

namespace espalier {

inline constexpr const char* run_kernel_name = "espalier_run";
inline constexpr unsigned run_threads = 256;

// Results that are written to the shadow (bf16/rounding.h), too: as bits, the last for all later ones.
using Shadowed = uint64_t;

// Parameters of the kernel: rows, then pointer and stride of every operand, then of every result; the shadow, if any
// result goes there.
std::string cuda_source(const Run& run, unsigned lanes, Shadowed shadowed = 0);

// The same as a function of a kernel that does more (walk/): `name`(place, operands, shadow).
std::string cuda_phase(const Run& run, unsigned lanes, Shadowed shadowed, const std::string& name);
// What the code of these runs calls.
std::string cuda_functions(std::span<const Run* const> runs);

}  // namespace espalier
