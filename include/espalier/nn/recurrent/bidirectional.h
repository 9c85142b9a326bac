// Bidirectional recurrent modules.
#pragma once
#include <algorithm>
#include <string>

#include <espalier/nn/recurrent/gru.h>
#include <espalier/nn/recurrent/lstm.h>
#include <espalier/nn/recurrent/rnn.h>

namespace espalier::nn {

// Schuster & Paliwal 1997: one module from each end; returns [forward; backward] of every step. `more` is passed to
// both constructors.
template <class R>
struct Bidirectional {
  R forward, backward;

  template <class... More>
  Bidirectional(Scope scope, int in, int hidden, const More&... more)
      : forward(scope / "forward", in, hidden, more...), backward(scope / "backward", in, hidden, more...) {}

  std::vector<Expr> operator()(std::span<const Expr> xs, ESPALIER_AT) const {
    const std::vector<Expr> fs = forward.run(xs, at);
    const std::vector<Expr> reversed(xs.rbegin(), xs.rend());
    std::vector<Expr> bs = backward.run(reversed, at);
    std::reverse(bs.begin(), bs.end());
    std::vector<Expr> both;
    both.reserve(xs.size());
    for (size_t i = 0; i < xs.size(); ++i) both.push_back(concat(Operand(fs[i], at), Operand(bs[i], at)));
    return both;
  }
};

// Layer k reads [forward; backward] of layer k - 1. Parameters are named 0.forward.weight_ih, 0.backward.weight_ih, …
template <class R>
struct DeepBidirectional {
  std::vector<Bidirectional<R>> layers;
  float dropout = 0;  // between layers

  template <class... More>
  DeepBidirectional(Scope scope, int in, int hidden, int depth, float dropout_between = 0, const More&... more)
      : dropout(dropout_between) {
    if (depth < 1)
      throw ShapeError("DeepBidirectional: a depth of " + std::to_string(depth) + "; it must be at least 1");
    for (int k = 0; k < depth; ++k)
      layers.emplace_back(scope / std::to_string(k), k == 0 ? in : 2 * hidden, hidden, more...);
  }

  std::vector<Expr> operator()(std::span<const Expr> xs, ESPALIER_AT) const {
    std::vector<Expr> rows(xs.begin(), xs.end());
    for (size_t k = 0; k < layers.size(); ++k) {
      if (k > 0 && dropout > 0)
        for (Expr& x : rows) x = espalier::dropout(x, dropout, at);
      rows = layers[k](rows, at);
    }
    return rows;
  }
};

using BiRNN = Bidirectional<RNN>;
using BiLSTM = Bidirectional<LSTM>;
using BiGRU = Bidirectional<GRU>;
using DeepBiLSTM = DeepBidirectional<LSTM>;
using DeepBiGRU = DeepBidirectional<GRU>;

}  // namespace espalier::nn
