#include <espalier/nn/recurrent/lstm.h>

#include "nn/recurrent/gates.h"

namespace espalier::nn {

LSTM::LSTM(Scope p, int in, int hidden)
    : weight_ih(p.add("weight_ih", {4 * hidden, in})),
      weight_hh(p.add("weight_hh", {4 * hidden, hidden})),
      bias(p.add("bias", {4 * hidden}, forget_gate_one(hidden))),
      first(p.cell("first", {{in}},
                   [&](Expr x) -> State {
                     auto [i, f, g, o] = split<4>(linear(x, weight_ih, bias));
                     Expr c = sigmoid(i) * tanh(g);
                     return {sigmoid(o) * tanh(c), c};
                   })),
      next(p.cell("next", {{in}, {hidden}}, [&](Expr x, State s) -> State {
        auto [i, f, g, o] = split<4>(linear(x, weight_ih, bias) + linear(s.h, weight_hh));
        Expr c = sigmoid(f) * s.c + sigmoid(i) * tanh(g);
        return {sigmoid(o) * tanh(c), c};
      })) {}

State LSTM::operator()(Expr x, const State& before, Where at) const {
  return before.h ? next(x, before, at) : first(x, at);
}

CoupledLSTM::CoupledLSTM(Scope p, int in, int hidden)
    : weight_ih(p.add("weight_ih", {3 * hidden, in})),
      weight_hh(p.add("weight_hh", {3 * hidden, hidden})),
      bias(p.add("bias", {3 * hidden}, init::constant(0))),
      first(p.cell("first", {{in}},
                   [&](Expr x) -> State {
                     auto [i, g, o] = split<3>(linear(x, weight_ih, bias));
                     Expr c = sigmoid(i) * tanh(g);
                     return {sigmoid(o) * tanh(c), c};
                   })),
      next(p.cell("next", {{in}, {hidden}}, [&](Expr x, State s) -> State {
        auto [i, g, o] = split<3>(linear(x, weight_ih, bias) + linear(s.h, weight_hh));
        Expr c = s.c + sigmoid(i) * (tanh(g) - s.c);
        return {sigmoid(o) * tanh(c), c};
      })) {}

State CoupledLSTM::operator()(Expr x, const State& before, Where at) const {
  return before.h ? next(x, before, at) : first(x, at);
}

}  // namespace espalier::nn
