// Rows brought to one mean and one spread.
#pragma once
#include <espalier/expr/cell.h>

namespace espalier::nn {

// Ba et al. 2016, eq. 4, as in PyTorch: y = (x - mean) / √(variance + eps) · weight + bias, over the elements of a row.
// weight [dim], bias [dim].
struct ESPALIER_API LayerNorm {
  static constexpr bool one_cell = true;  // a call is a call of `cell`: blocks know its shapes before any data
  Parameter weight, bias;
  Cell<Expr(Expr)> cell;
  LayerNorm(Scope scope, int dim, float eps = 1e-5f);
  Expr operator()(Expr x, ESPALIER_AT) const { return cell(x, at); }
};

}  // namespace espalier::nn
