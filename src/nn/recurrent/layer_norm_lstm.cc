#include <espalier/nn/recurrent/layer_norm_lstm.h>

#include "nn/recurrent/gates.h"

namespace espalier::nn {

LayerNormLSTM::LayerNormLSTM(Scope p, int in, int hidden)
    : weight_ih(p.add("weight_ih", {4 * hidden, in})),
      weight_hh(p.add("weight_hh", {4 * hidden, hidden})),
      bias(p.add("bias", {4 * hidden}, forget_gate_one(hidden))),
      norm_ih((p / "norm_ih").add("weight", {4 * hidden}, init::constant(1))),
      norm_hh((p / "norm_hh").add("weight", {4 * hidden}, init::constant(1))),
      norm_c((p / "norm_c").add("weight", {hidden}, init::constant(1))),
      norm_c_bias((p / "norm_c").add("bias", {hidden}, init::constant(0))),
      first(p.cell("first", {{in}},
                   [&](Expr x) -> State {
                     auto [i, f, g, o] = split<4>(layer_norm(linear(x, weight_ih), norm_ih, bias));
                     Expr c = sigmoid(i) * tanh(g);
                     return {sigmoid(o) * tanh(layer_norm(c, norm_c, norm_c_bias)), c};
                   })),
      next(p.cell("next", {{in}, {hidden}}, [&](Expr x, State s) -> State {
        Expr of_x = layer_norm(linear(x, weight_ih), norm_ih), of_h = layer_norm(linear(s.h, weight_hh), norm_hh);
        auto [i, f, g, o] = split<4>(of_x + of_h + bias);
        Expr c = sigmoid(f) * s.c + sigmoid(i) * tanh(g);
        return {sigmoid(o) * tanh(layer_norm(c, norm_c, norm_c_bias)), c};
      })) {}

State LayerNormLSTM::operator()(Expr x, const State& before, Where at) const {
  return before.h ? next(x, before, at) : first(x, at);
}

}  // namespace espalier::nn
