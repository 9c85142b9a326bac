#include <espalier/nn/modules.h>

#include <algorithm>

namespace espalier::nn {

Linear::Linear(Scope p, int in, int out, bool with_bias)
    : weight(p.add("weight", {out, in})),
      bias(with_bias ? p.add("bias", {out}, init::constant(0)) : Parameter()),
      cell(p.cell("linear", {{in}}, [&](Expr x) -> Expr {
        if (with_bias) return linear(x, weight, bias);
        return linear(x, weight);
      })) {}

Expr Linear::operator()(Expr x, Where at) const {
  // Over the rows of a Many, or a matrix, the op itself is recorded: the cell is made for one vector.
  if (x && x.shape().rank == 1 && !over_rows(x)) return cell(x, at);
  if (bias) return linear(x, weight, Operand(bias, at), at);
  return linear(x, weight, {}, at);
}

Embedding::Embedding(Scope p, int rows, int dim, Init how)
    : weight(p.add_lookup("weight", rows, {dim}, std::move(how))),
      cell(p.cell("lookup", {{}}, [&](Index i) { return lookup(weight, i); })) {}
Expr Embedding::operator()(Graph& g, Index index, Where at) const { return cell(g, index, at); }

namespace {

Init forget_gate_one(int hidden) {
  std::vector<float> b(static_cast<size_t>(4 * hidden), 0.f);
  std::fill(b.begin() + hidden, b.begin() + 2 * hidden, 1.f);
  return init::from(std::move(b));
}

}  // namespace

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
std::vector<Expr> LSTM::run(std::span<const Expr> xs, Where at) const {
  std::vector<Expr> hs;
  State s;
  for (Expr x : xs) {
    s = (*this)(x, s, at);
    hs.push_back(s.h);
  }
  return hs;
}

BiLSTM::BiLSTM(Scope p, int in, int hidden)
    : forward(p / "forward", in, hidden), backward(p / "backward", in, hidden) {}
std::vector<Expr> BiLSTM::operator()(std::span<const Expr> xs, Where at) const {
  const std::vector<Expr> fs = forward.run(xs, at);
  std::vector<Expr> reversed(xs.rbegin(), xs.rend());
  std::vector<Expr> bs = backward.run(reversed, at);
  std::reverse(bs.begin(), bs.end());
  std::vector<Expr> out;
  for (size_t i = 0; i < xs.size(); ++i) out.push_back(concat(Operand(fs[i], at), Operand(bs[i], at)));
  return out;
}

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
