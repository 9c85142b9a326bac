// A fully connected layer: dropout, Linear, layer normalisation and activation in one cell.
#pragma once
#include <espalier/nn/activation.h>
#include <espalier/nn/linear.h>

namespace espalier::nn {

struct FCOptions {
  Activation activation = relu;  // nullptr: none
  float dropout = 0;             // probability of dropping an element of x in training
  bool layer_norm = false;       // before the activation
};

// y = f(N(W d(x) + b)): Rumelhart et al. 1986, with dropout d (Srivastava et al. 2014) and layer normalisation N (Ba et
// al. 2016, section 3.1). weight [out, in], bias [out]; with layer_norm also norm.weight [out] and norm.bias [out].
struct ESPALIER_API FC {
  static constexpr bool one_cell = true;  // a call records only `cell`, so blocks know its shapes before recording
  Linear linear;
  Parameter norm_weight, norm_bias;
  Cell<Expr(Expr)> cell;
  FC(Scope scope, int in, int out, const FCOptions& options = {});
  Expr operator()(Expr x, ESPALIER_AT) const { return cell(x, at); }
};

}  // namespace espalier::nn
