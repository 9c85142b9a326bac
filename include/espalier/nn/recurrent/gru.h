// The gated recurrent unit.
#pragma once
#include <espalier/nn/recurrent/recurrent.h>

namespace espalier::nn {

// Cho et al. 2014 in the variant of PyTorch, gates in the order r, z, n:
//   r, z = σ(W x + b + U h + d), n = tanh(W x + b + r (U h + d)), h' = (1 - z) n + z h
// weight_ih [3h, in], weight_hh [3h, h], bias_ih = b and bias_hh = d [3h]. The state is h, initially 0.
struct ESPALIER_API GRU : Recurrent<GRU> {
  Parameter weight_ih, weight_hh, bias_ih, bias_hh;
  Cell<Expr(Expr)> first;
  Cell<Expr(Expr, Expr)> next;
  GRU(Scope scope, int in, int hidden);
  Expr operator()(Expr x, Expr before = {}, ESPALIER_AT) const;
};

}  // namespace espalier::nn
