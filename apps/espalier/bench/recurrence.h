// An LSTM in two parts: W x + b, which does not depend on the step before, and the recurrence, which does. The first
// is left to the cell that makes x: so it runs for all words of a minibatch at once, and only U h is left to each step.
#pragma once
#include <espalier/espalier.h>

namespace espalier::app::bench {

// nn::LSTM, taken apart. The first step has no recurrent term.
struct Recurrence {
  nn::LSTM lstm;
  Cell<nn::State(Expr)> first;
  Cell<nn::State(Expr, nn::State)> next;

  Recurrence(Scope p, int in, int hidden)
      : lstm(p, in, hidden),
        first(p.cell("first", {{4 * hidden}},
                     [&](Expr gates) -> nn::State {
                       const auto [i, f, g, o] = split<4>(gates);
                       const Expr c = sigmoid(i) * tanh(g);
                       return {sigmoid(o) * tanh(c), c};
                     })),
        next(p.cell("next", {{4 * hidden}, {hidden}}, [&](Expr gates, nn::State s) -> nn::State {
          const auto [i, f, g, o] = split<4>(gates + linear(s.h, lstm.weight_hh));
          const Expr c = sigmoid(f) * s.c + sigmoid(i) * tanh(g);
          return {sigmoid(o) * tanh(c), c};
        })) {}

  // Inside a cell: what a step takes.
  Expr gates(Expr x) const { return linear(x, lstm.weight_ih, lstm.bias); }
  nn::State operator()(Expr gates, const nn::State& before) const {
    return before.h ? next(gates, before) : first(gates);
  }

  // Of a sequence of n inputs.
  static double product_flops(int in, int hidden, double n) {
    const double i = in, h = hidden;
    return n * 2 * (4 * h * i) + (n - 1) * 2 * (4 * h * h);
  }
};

}  // namespace espalier::app::bench
