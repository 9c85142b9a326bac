#include "law/recurrent.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <espalier/expr/cell.h>
#include <espalier/expr/functions.h>
#include "base/draw.h"

namespace espalier::law {
namespace {

constexpr size_t chain_steps = 10;  // inputs per sequence

using Net = std::function<Exprs(const Exprs&)>;

struct State {
  Expr h, c;
};

// h' = next(x, h); initially h = x.
template <class Next>
Net chain(Next next) {
  return [next](const Exprs& xs) {
    Exprs states;
    for (Expr x : xs) states.push_back(next(x, states.empty() ? x : states.back()));
    return states;
  };
}
// Joins the leaves in pairs, then the pairs and the leaves one by one: a wide level followed by a narrow chain.
template <class S, class Node>
std::vector<S> tree(const std::vector<S>& leaves, Node node) {
  std::vector<S> all;
  for (size_t i = 0; i + 1 < leaves.size(); i += 2) all.push_back(node(leaves[i], leaves[i + 1]));
  const size_t pairs = all.size();
  for (size_t i = 1; i < pairs; ++i) all.push_back(node(i == 1 ? all[0] : all.back(), all[i]));
  for (const S& leaf : leaves) all.push_back(node(leaf, all.back()));
  return all;
}
Exprs outputs(const std::vector<State>& states) {
  Exprs hs;
  for (const State& s : states) hs.push_back(s.h);
  return hs;
}
Parameter bias(Scope p, std::string_view name, int size) { return p.add(name, {size}, init::normal(0, 0.3f)); }

Net rnn(Scope p, int n, const Activations& a) {
  const Parameter w = p.add("w", {n, n}), b = bias(p, "b", n);
  return chain(p.cell("rnn", {{n}, {n}}, [&](Expr x, Expr h) { return a.squashed(linear(h, w, b) + x); }));
}
Net lstm(Scope p, int n, const Activations& a) {
  const Parameter wx = p.add("wx", {4 * n, n}), wh = p.add("wh", {4 * n, n}), b = bias(p, "b", 4 * n);
  const auto next = p.cell("lstm", {{n}, {n}}, [&](Expr x, State s) -> State {
    const auto [i, f, v, o] = split<4>(linear(x, wx, b) + linear(s.h, wh));
    const Expr c = a.gated(f, s.c) + a.gated(i, a.squashed(v));
    return {a.gated(o, a.squashed(c)), c};
  });
  return [next](const Exprs& xs) {
    std::vector<State> states;
    for (Expr x : xs) states.push_back(next(x, states.empty() ? State{x, x} : states.back()));
    return outputs(states);
  };
}
Net gru(Scope p, int n, const Activations& a) {
  const Parameter wx = p.add("wx", {3 * n, n}), wh = p.add("wh", {3 * n, n}), b = bias(p, "b", 3 * n);
  return chain(p.cell("gru", {{n}, {n}}, [&](Expr x, Expr h) {
    const auto [rx, zx, vx] = split<3>(linear(x, wx, b));
    const auto [rh, zh, vh] = split<3>(linear(h, wh));
    const Expr v = a.squashed(vx + a.gated(rx + rh, vh));
    return v + a.gated(zx + zh, h - v);
  }));
}
// Tai et al. 2015, with two children.
Net tree_lstm(Scope p, int n, const Activations& a) {
  const Parameter u = p.add("u", {3 * n, 2 * n}), uf = p.add("uf", {2 * n, 2 * n}), b = bias(p, "b", 3 * n),
                  bf = bias(p, "bf", n);
  const auto node = p.cell("tree_lstm", {{n}, {n}}, [&](State l, State r) -> State {
    const Expr both = concat(l.h, r.h);
    const auto [i, o, v] = split<3>(linear(both, u, b));
    const auto [fl, fr] = split<2>(linear(both, uf));
    const Expr c = a.gated(i, a.squashed(v)) + a.gated(fl + bf, l.c) + a.gated(fr + bf, r.c);
    return {a.gated(o, a.squashed(c)), c};
  });
  return [node](const Exprs& xs) {
    std::vector<State> leaves;
    for (Expr x : xs) leaves.push_back({x, x});
    return outputs(tree(leaves, node));
  };
}
// Looks et al. 2017: four gates on a hidden layer over both children. The relu is replaced, because its gradient would
// jump where rounding moves a value across zero.
Net fold_tree(Scope p, int n, const Activations& a) {
  const Parameter w0 = p.add("w0", {n, 2 * n}), b0 = bias(p, "b0", n), w = p.add("w", {4 * n, n}),
                  b = bias(p, "b", 4 * n);
  const auto node = p.cell("fold_tree", {{n}, {n}}, [&](Expr l, Expr r) {
    const auto [fl, fr, i, v] = split<4>(linear(a.squashed(linear(concat(l, r), w0, b0)), w, b));
    return a.gated(fl, l) + a.gated(fr, r) + a.gated(i, a.squashed(v));
  });
  return [node](const Exprs& xs) { return tree(xs, node); };
}
Net two_of_one_input(Scope p, int n, const Activations& a) {
  const Parameter w = p.add("w", {n, n}), u = p.add("u", {n, n}), b = bias(p, "b", n);
  return chain(p.cell("two_of_one_input", {{n}, {n}},
                      [&](Expr x, Expr h) { return a.gated(linear(h, u), a.squashed(linear(h, w, b) + x)) + x; }));
}
// The second product accumulates into the result of the first.
Net sum_of_products(Scope p, int n, const Activations& a) {
  const Parameter w = p.add("w", {n, n}, init::glorot(0.7f)), u = p.add("u", {n, n}, init::glorot(0.7f)),
                  b = bias(p, "b", n);
  return chain(p.cell("sum_of_products", {{n}, {n}},
                      [&](Expr x, Expr h) { return a.squashed(linear(h, w) + linear(a.squashed(h + x), u, b)); }));
}
// Through a layer whose width, 12, is unfavourable for tensor cores.
Net bottleneck(Scope p, int n, const Activations& a) {
  const Parameter in = p.add("in", {12, n}), out = p.add("out", {n, 12}), b = bias(p, "b", 12);
  return chain(p.cell("bottleneck", {{n}, {n}},
                      [&](Expr x, Expr h) { return a.squashed(linear(a.squashed(linear(h, in, b)), out) + x); }));
}
// Products of slices of a row; one slice is not aligned for loads of four floats.
Net parts(Scope p, int n, const Activations& a) {
  const Parameter w = p.add("w", {n, n - 16}, init::glorot(0.7f)), u = p.add("u", {n, n - 16}, init::glorot(0.7f)),
                  b = bias(p, "b", n);
  return chain(p.cell("parts", {{n}, {n}}, [&](Expr x, Expr h) {
    return a.squashed(linear(slice(h, 8, n - 8), w, b) + linear(slice(h, 6, n - 10), u) + x);
  }));
}

constexpr Activations smooth{[](Expr v) { return tanh(v); }, [](Expr g, Expr v) { return sigmoid(g) * v; }};
constexpr Activations whole{[](Expr v) { return clamp(v, -2, 2); }, [](Expr g, Expr v) { return clamp(g + v, -2, 2); }};

// Each column of a matrix has one or two non-zero elements, 1 or -1, so gradients do not explode.
void make_whole(Parameter p) {
  Draw draw(mix(p.name()));
  const Shape shape = p.shape();
  std::vector<float> values(static_cast<size_t>(shape.size()));
  const auto sign = [&] { return draw.below(2) == 0 ? 1.f : -1.f; };
  if (shape.rank == 1)
    for (float& x : values) x = draw.below(3) == 0 ? sign() : 0;
  else
    for (uint64_t column = 0; column < static_cast<uint64_t>(shape[1]); ++column)
      for (uint64_t n = 1 + draw.below(2); n > 0; --n)
        values[draw.below(static_cast<uint64_t>(shape[0])) * static_cast<uint64_t>(shape[1]) + column] = sign();
  p.assign({shape, std::move(values)});
}

}  // namespace

std::span<const Recurrence> recurrences() {
  static constexpr std::array<Recurrence, 15> all{{{"rnn", 16, rnn},
                                                   {"lstm", 24, lstm},
                                                   {"lstm", 32, lstm},
                                                   {"lstm", 256, lstm},
                                                   {"gru", 48, gru},
                                                   {"gru", 128, gru},
                                                   {"tree_lstm", 16, tree_lstm},
                                                   {"tree_lstm", 128, tree_lstm},
                                                   {"fold_tree", 24, fold_tree},
                                                   {"fold_tree", 32, fold_tree},
                                                   {"fold_tree", 256, fold_tree},
                                                   {"two_of_one_input", 48, two_of_one_input},
                                                   {"sum_of_products", 32, sum_of_products},
                                                   {"bottleneck", 48, bottleneck},
                                                   {"parts", 48, parts}}};
  return all;
}

std::string name(const Recurrence& r) { return std::string(r.name) + "_" + std::to_string(r.hidden); }

RecurrentNet::RecurrentNet(const Recurrence& r, Kind kind)
    : params(7),
      kind_(kind),
      hidden_(r.hidden),
      states_(r.make(params, r.hidden, kind == Kind::smooth ? smooth : whole)) {
  if (kind == Kind::whole)
    for (const Parameter& p : params.all()) make_whole(p);
}

Expr RecurrentNet::numbers(Graph& g, uint64_t example, uint64_t which) const {
  std::vector<float> v;
  for (int e = 0; e < hidden_; ++e) {
    const float u = uniform(mix(example, which), static_cast<uint64_t>(e));
    v.push_back(kind_ == Kind::smooth ? 2 * u - 1 : std::floor(3 * u) - 1);
  }
  return input(g, v, {hidden_});
}
Exprs RecurrentNet::inputs(Graph& g, uint64_t example) const {
  Exprs xs;
  for (uint64_t i = 0; i < chain_steps; ++i) xs.push_back(numbers(g, example, i));
  return xs;
}

States RecurrentNet::train(EngineOptions options, int rows) const {
  options.poison = true;
  Engine engine(options);
  Graph g = engine.graph();
  Exprs states, losses, first;
  for (uint64_t row = 0; row < static_cast<uint64_t>(rows); ++row) {
    g.example(row);
    const Exprs xs = inputs(g, row), own = states_(xs);
    engine.watch(first.emplace_back(xs[0]));
    // Losses on every third state: some steps get one incoming gradient, others two.
    for (size_t i = own.size(); i > 0; i -= std::min<size_t>(i, 3))
      losses.push_back(sum_elements(own[i - 1] * numbers(g, row, 1000 + i)));
    states.insert(states.end(), own.begin(), own.end());
  }
  const Gradients gradients = engine.backward(losses);
  States result;
  result.states = engine.tensors(states);
  for (const Parameter& p : params.all()) result.gradients.push_back(gradients.of(p));
  for (Expr x : first) result.gradients.push_back(gradients.of(x));
  result.launches = engine.counters().launches;
  return result;
}

std::vector<Tensor> RecurrentNet::infer(EngineOptions options, int rows) const {
  options.poison = true;
  Engine engine(options);
  std::vector<uint64_t> examples(static_cast<size_t>(rows));
  for (size_t i = 0; i < examples.size(); ++i) examples[i] = i;
  return engine.infer(engine.record(examples,
                                    [this](Graph& g, uint64_t example) { return states_(inputs(g, example)).back(); },
                                    {.mode = Mode::infer}));
}

}  // namespace espalier::law
