// Which rows of a program are factors of products in bf16: they need a rounded copy. Knows no device.
#pragma once
#include <vector>

#include "cell/program.h"

namespace espalier {

// Sizes of matrices that bf16 products are made for are multiples of this; others are left to tf32.
constexpr int bf16_multiple = 8;

// Whether a kernel is a product of rows with a parameter that is made in bf16.
bool multiplies_in_bf16(const Kernel& kernel, int multiple = bf16_multiple);
// The same of a weight's gradient, which is [m,n].
bool multiplies_in_bf16(int m, int n, int multiple = bf16_multiple);

struct Factors {
  std::vector<bool> buffers;                 // per buffer of the program: products read it
  bool gathers[2] = {};                      // any of those is gathered, forward and backward
  std::vector<const detail::Slot*> weights;  // parameters that products read; each once

  explicit Factors(const Program& program, int multiple = bf16_multiple);

  bool has(const RowsOf& rows) const {
    return rows.kind == RowsOf::Kind::buffer && buffers[static_cast<size_t>(rows.which)];
  }
  // Results of a run that are factors, as bits; the last stands for all later ones.
  uint64_t results(const Run& run) const;
};

}  // namespace espalier
