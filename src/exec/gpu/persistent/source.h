// Persistent kernels as CUDA source text.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/saturating_mask.h"
#include "cell/code.h"
#include "exec/gpu/persistent/types.h"

namespace espalier::persistent {

// A fused kernel, and how it reads each of its operands.
struct Function {
  const FusedKernel* kernel = nullptr;  // not owned; read only by source()
  std::vector<Access> access;
  SaturatingMask shadowed{};                                 // Results::shadowed (fused_source.h)
  uint64_t serial = kernel == nullptr ? 0 : kernel->serial;  // a later kernel may have the same address

  bool operator==(const Function& other) const {
    return serial == other.serial && access == other.access && shadowed == other.shadowed;
  }
};

inline constexpr const char* kernel_name = "espalier_persistent";

// The kinds of products that a kernel is compiled with.
struct Products {
  bool fast = false, plain = false;
};
// The source of a kernel with these functions; Phase::function is an index into them.
std::string source(std::span<const Function> functions, Products products);

}  // namespace espalier::persistent
