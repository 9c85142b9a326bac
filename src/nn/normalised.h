// What layer normalisation does before it scales, inside a cell.
#pragma once
#include <espalier/expr/functions.h>

namespace espalier::nn {

inline Expr normalised(Expr x, float eps = 1e-5f) {
  const Expr centred = x - mean_elements(x);
  return centred / sqrt(mean_elements(square(centred)) + eps);
}

}  // namespace espalier::nn
