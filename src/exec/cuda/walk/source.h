// The kernel of a walk, as text.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "cell/code.h"
#include "exec/cuda/walk/types.h"

namespace espalier::walk {

// A run, and how it reaches each of its operands.
struct Function {
  const Run* run = nullptr;  // read where the source is printed, and not kept alive
  std::vector<Access> access;
  uint64_t shadowed = 0;                               // results, as bits: see compile/source.h
  uint64_t serial = run == nullptr ? 0 : run->serial;  // another run may come to lie where this one was

  bool operator==(const Function& other) const {
    return serial == other.serial && access == other.access && shadowed == other.shadowed;
  }
};

inline constexpr const char* kernel_name = "espalier_walk";
inline constexpr unsigned threads = 512;

// A kernel whose runs are these functions, by their numbers, with products by tensor cores, plain ones, or both: what
// is not in it need not be compiled.
struct Products {
  bool fast = false, plain = false;
};
std::string source(std::span<const Function> functions, Products products);

}  // namespace espalier::walk
