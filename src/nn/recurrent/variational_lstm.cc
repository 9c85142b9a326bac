#include <espalier/nn/recurrent/variational_lstm.h>

#include "nn/recurrent/gates.h"

namespace espalier::nn {

VariationalLSTM::VariationalLSTM(Scope p, int in, int hidden, float probability)
    : weight_ih(p.add("weight_ih", {4 * hidden, in})),
      weight_hh(p.add("weight_hh", {4 * hidden, hidden})),
      bias(p.add("bias", {4 * hidden}, forget_gate_one(hidden))),
      // The values of x are not read: x only determines the graph of the call.
      draw(p.cell("draw", {{in}, {}},
                  [&](Expr, Number one) -> Masks {
                    const Expr ones = one * 1.f;
                    return {dropout(broadcast(ones, 0, in), probability),
                            dropout(broadcast(ones, 0, hidden), probability)};
                  })),
      first(p.cell("first", {{in}, {in}},
                   [&](Expr x, Expr x_mask) -> State {
                     auto [i, f, g, o] = split<4>(linear(x * x_mask, weight_ih, bias));
                     Expr c = sigmoid(i) * tanh(g);
                     return {sigmoid(o) * tanh(c), c};
                   })),
      next(p.cell("next", {{in}, {hidden}, {in}, {hidden}}, [&](Expr x, State s, Expr x_mask, Expr h_mask) -> State {
        auto [i, f, g, o] = split<4>(linear(x * x_mask, weight_ih, bias) + linear(s.h * h_mask, weight_hh));
        Expr c = sigmoid(f) * s.c + sigmoid(i) * tanh(g);
        return {sigmoid(o) * tanh(c), c};
      })) {}

VariationalState VariationalLSTM::operator()(Expr x, const VariationalState& before, Where at) const {
  const Masks masks = before.x_mask ? Masks{before.x_mask, before.h_mask} : draw(x, 1.f, at);
  const State s = before.h ? next(x, {before.h, before.c}, masks.x, masks.h, at) : first(x, masks.x, at);
  return {s.h, s.c, masks.x, masks.h};
}

}  // namespace espalier::nn
