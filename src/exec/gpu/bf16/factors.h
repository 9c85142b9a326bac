// The factors of the bf16 products of a program, which need rounded copies. Needs no device.
#pragma once
#include <vector>

#include "base/saturating_mask.h"
#include "cell/program.h"

namespace espalier {

// Both sizes of a weight must be multiples of this for a bf16 product; other products use tf32.
constexpr int bf16_multiple = 8;

// Whether a kernel is a product of rows with a parameter in bf16.
bool multiplies_in_bf16(const Kernel& kernel, int multiple = bf16_multiple);
// Whether the gradient of a weight [m,n] is a bf16 product.
bool multiplies_in_bf16(int m, int n, int multiple = bf16_multiple);

struct Factors {
  std::vector<bool> buffers;                             // one per buffer of the program: whether products read it
  bool gathers[2] = {};                                  // whether any of these buffers is gathered: forward, backward
  std::vector<const detail::ParameterStorage*> weights;  // parameters that products read, without duplicates

  explicit Factors(const Program& program, int multiple = bf16_multiple);

  bool has(const RowsOf& rows) const {
    return rows.kind == RowsOf::Kind::buffer && buffers[static_cast<size_t>(rows.which)];
  }
  // Results of a fused kernel that are factors.
  SaturatingMask results(const FusedKernel& fused) const;
};

}  // namespace espalier
