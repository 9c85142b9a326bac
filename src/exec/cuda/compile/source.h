// An element-wise run as CUDA source: its primitives, printed. A thread computes `lanes` neighbouring elements of a
// row, 1, 2 or 4, which it loads and stores at once.
#pragma once
#include <span>
#include <string>

#include "cell/code.h"

namespace espalier {

inline constexpr const char* run_kernel_name = "espalier_run";
inline constexpr unsigned run_threads = 256;

// Which results go to the shadow (bf16/rounding.h), too, and which nowhere; as bits, the last for all later ones.
struct Results {
  uint64_t shadowed = 0, unread = 0;
  static bool has(uint64_t bits, size_t result) { return (bits >> (result < 63 ? result : 63) & 1) != 0; }
};
// Those that nothing in a forward pass reads, and which are kept for a backward pass.
uint64_t unread_forward(const Code& code, const Run& run);

// Parameters of the kernel: rows, then pointer and stride of every operand, then of every result; the shadow, if any
// result goes there.
std::string cuda_source(const Run& run, unsigned lanes, Results results = {});

// For a kernel that does more (walk/): the code for one element alone, from operands a0, a1, … to registers r0, r1, …
std::string cuda_code(const Run& run);
// What the code of these runs calls.
std::string cuda_functions(std::span<const Run* const> runs);

}  // namespace espalier
