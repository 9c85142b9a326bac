// A matrix and a bias.
#pragma once
#include <espalier/expr/cell.h>

namespace espalier::nn {

// y = W x + b. weight [out, in], bias [out].
struct ESPALIER_API Linear {
  static constexpr bool one_cell = true;  // a call is a call of `cell`: blocks know its shapes before any data
  Parameter weight, bias;
  Cell<Expr(Expr)> cell;
  Linear(Scope scope, int in, int out, bool with_bias = true);
  Expr operator()(Expr x, ESPALIER_AT) const;  // inside a cell it maps over the rows of a Many, too
};

}  // namespace espalier::nn
