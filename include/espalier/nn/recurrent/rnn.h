// The simple recurrent network.
#pragma once
#include <espalier/nn/activation.h>
#include <espalier/nn/recurrent/recurrent.h>

namespace espalier::nn {

// Elman 1990: h' = tanh(W x + U h + b), or relu. weight_ih [h, in], weight_hh [h, h], bias [h] (PyTorch's bias_ih +
// bias_hh). The first step has no recurrent term. The state is h.
struct ESPALIER_API RNN : Recurrent<RNN> {
  Parameter weight_ih, weight_hh, bias;
  Cell<Expr(Expr)> first;
  Cell<Expr(Expr, Expr)> next;
  RNN(Scope scope, int in, int hidden, Activation activation = tanh);
  Expr operator()(Expr x, Expr before = {}, ESPALIER_AT) const;
};

}  // namespace espalier::nn
