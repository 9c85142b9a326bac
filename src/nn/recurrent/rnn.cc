#include <espalier/nn/recurrent/rnn.h>

namespace espalier::nn {

RNN::RNN(Scope p, int in, int hidden, Activation activation)
    : weight_ih(p.add("weight_ih", {hidden, in})),
      weight_hh(p.add("weight_hh", {hidden, hidden})),
      bias(p.add("bias", {hidden}, init::constant(0))),
      first(p.cell("first", {{in}}, [&](Expr x) { return activation(linear(x, weight_ih, bias), Where::here()); })),
      next(p.cell("next", {{in}, {hidden}}, [&](Expr x, Expr h) {
        return activation(linear(x, weight_ih, bias) + linear(h, weight_hh), Where::here());
      })) {}

Expr RNN::operator()(Expr x, Expr before, Where at) const { return before ? next(x, before, at) : first(x, at); }

}  // namespace espalier::nn
