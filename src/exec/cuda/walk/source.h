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
  const Run* run = nullptr;
  std::vector<Access> access;
  uint64_t shadowed = 0;  // results, as bits: see compile/source.h
  bool operator==(const Function&) const = default;
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
