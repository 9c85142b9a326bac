// A linear layer.
#pragma once
#include <espalier/expr/cell.h>

namespace espalier::nn {

// y = W x + b. weight [out, in], bias [out].
struct ESPALIER_API Linear {
  static constexpr bool one_cell = true;  // a call records only `cell`, so blocks know its shapes before recording
  Parameter weight, bias;
  Cell<Expr(Expr)> cell;
  Linear(Scope scope, int in, int out, bool with_bias = true);
  Expr operator()(Expr x, ESPALIER_AT) const;  // inside a cell, x may be the rows of a Many
};

}  // namespace espalier::nn
