// A Tree-LSTM with up to N ordered children.
#pragma once
#include <algorithm>
#include <array>
#include <string>

#include <espalier/nn/recurrent/recurrent.h>

namespace espalier::nn {

// Tai et al. 2015, eq. 9-14; k and l are positions of children, 1…N:
//   i, o = σ(W x + Σ_l U_l h_l + b), u = tanh(W x + Σ_l U_l h_l + b), f_k = σ(Wf x + Σ_l Uf_kl h_l + bf)
//   c = i u + Σ_k f_k c_k, h = o tanh(c)
// W [3h, in], U [3h, N h], Wf [h, in], Uf [N h, N h], b [3h], bf [h]; the forget bias starts at 1.
// Missing children at the end of the list count as zero states, so that nodes of all arities are calls of one cell.
template <int N>
struct NaryTreeLSTM {
  static_assert(N >= 1 && N <= 15, "NaryTreeLSTM: a call takes at most 15 states; ChildSumTreeLSTM takes any number");
  using Children = std::array<State, static_cast<size_t>(N)>;
  Parameter W, U, Wf, Uf, b, bf;
  Cell<State(Expr)> leaf;
  Cell<State(Children)> inner;  // a node without a word: x = 0
  Cell<State(Expr, Children)> with_word;

  NaryTreeLSTM(Scope p, int in, int hidden)
      : W(p.add("W", {3 * hidden, in})),
        U(p.add("U", {3 * hidden, N * hidden})),
        Wf(p.add("Wf", {hidden, in})),
        Uf(p.add("Uf", {N * hidden, N * hidden})),
        b(p.add("b", {3 * hidden}, init::constant(0))),
        bf(p.add("bf", {hidden}, init::constant(1))),
        leaf(p.cell("leaf", {{in}},
                    [&](Expr x) -> State {
                      auto [i, o, u] = split<3>(linear(x, W, b));
                      Expr c = sigmoid(i) * tanh(u);
                      return {sigmoid(o) * tanh(c), c};
                    })),
        inner(p.cell("inner", {{hidden}},
                     [&](Children kids) { return join(kids, linear(side_by_side(kids), U, b), bf); })),
        with_word(p.cell("with_word", {{in}, {hidden}}, [&](Expr x, Children kids) {
          return join(kids, linear(x, W, b) + linear(side_by_side(kids), U), linear(x, Wf, bf));
        })) {}

  // x may be empty if there are children. Missing children are recorded in g as zeros.
  State operator()(Graph& g, Expr x, std::span<const State> kids, ESPALIER_AT) const {
    if (kids.size() > N)
      throw ShapeError("NaryTreeLSTM: " + std::to_string(kids.size()) + " children are given; it takes at most " +
                       std::to_string(N) + str(at));
    if (kids.empty()) return leaf(g, x, at);
    Children all;
    std::copy(kids.begin(), kids.end(), all.begin());
    if (kids.size() < N) {
      const Expr zero = zeros(g, bf.shape(), at);
      std::fill(all.begin() + static_cast<std::ptrdiff_t>(kids.size()), all.end(), State{zero, zero});
    }
    return x ? with_word(x, all, at) : inner(all, at);
  }

 private:
  static Expr side_by_side(const Children& kids) {
    std::array<Expr, static_cast<size_t>(N)> hs;
    for (size_t k = 0; k < kids.size(); ++k) hs[k] = kids[k].h;
    return concat(hs);
  }
  State join(const Children& kids, Expr gates, Operand forget) const {
    auto [i, o, u] = split<3>(gates);
    const auto f = split<static_cast<size_t>(N)>(linear(side_by_side(kids), Uf));
    Expr c = sigmoid(i) * tanh(u);
    for (size_t k = 0; k < kids.size(); ++k) c = c + sigmoid(f[k] + forget) * kids[k].c;
    return {sigmoid(o) * tanh(c), c};
  }
};

}  // namespace espalier::nn
