#include <espalier/nn/tree/tree_lstm.h>

namespace espalier::nn {

TreeLSTM::TreeLSTM(Scope p, int in, int hidden)
    : W(p.add("W", {3 * hidden, in})),
      U(p.add("U", {3 * hidden, 2 * hidden})),
      Uf(p.add("Uf", {2 * hidden, 2 * hidden})),
      b(p.add("b", {3 * hidden}, init::constant(0))),
      bf(p.add("bf", {2 * hidden}, init::constant(1))),
      leaf(p.cell("leaf", {{in}},
                  [&](Expr x) -> State {
                    auto [i, o, u] = split<3>(linear(x, W, b));
                    Expr c = sigmoid(i) * tanh(u);
                    return {sigmoid(o) * tanh(c), c};
                  })),
      node(p.cell("node", {{hidden}, {hidden}}, [&](State l, State r) -> State {
        Expr hs = concat(l.h, r.h);
        auto [i, o, u] = split<3>(linear(hs, U, b));
        auto [fl, fr] = split<2>(linear(hs, Uf, bf));
        Expr c = sigmoid(i) * tanh(u) + sigmoid(fl) * l.c + sigmoid(fr) * r.c;
        return {sigmoid(o) * tanh(c), c};
      })) {}

ChildSumTreeLSTM::ChildSumTreeLSTM(Scope p, int in, int hidden)
    : W(p.add("W", {3 * hidden, in})),
      U(p.add("U", {3 * hidden, hidden})),
      Wf(p.add("Wf", {hidden, in})),
      Uf(p.add("Uf", {hidden, hidden})),
      b(p.add("b", {3 * hidden}, init::constant(0))),
      bf(p.add("bf", {hidden}, init::constant(1))),
      node(p.cell("node", {{in}, {hidden}}, [&](Expr x, Many<State> kids) -> State {
        auto [i, o, u] = split<3>(linear(x, W, b) + linear(sum_rows(kids[&State::h]), U));
        Expr f = sigmoid(linear(kids[&State::h], Uf) + linear(x, Wf, bf));
        Expr c = sigmoid(i) * tanh(u) + sum_rows(f * kids[&State::c]);
        return {sigmoid(o) * tanh(c), c};
      })) {}

}  // namespace espalier::nn
