// Stacked recurrent modules.
#pragma once
#include <string>

#include <espalier/nn/recurrent/gru.h>
#include <espalier/nn/recurrent/lstm.h>
#include <espalier/nn/recurrent/rnn.h>

namespace espalier::nn {

// Graves 2013, without skip connections: layer k reads h of layer k - 1. Parameters of layer 0 are named 0.weight_ih, …
// `dropout` is applied between layers in training, as in PyTorch. `more` is passed to the constructor of each layer.
template <class R>
struct Deep : Recurrent<Deep<R>> {
  using States = std::vector<StateOf<R>>;  // per layer; empty before the first step
  std::vector<R> layers;
  float dropout = 0;

  template <class... More>
  Deep(Scope scope, int in, int hidden, int depth, float dropout_between = 0, const More&... more)
      : dropout(dropout_between) {
    if (depth < 1) throw ShapeError("Deep: a depth of " + std::to_string(depth) + "; it must be at least 1");
    for (int k = 0; k < depth; ++k)
      layers.emplace_back(scope / std::to_string(k), k == 0 ? in : hidden, hidden, more...);
  }

  States operator()(Expr x, const States& before = {}, ESPALIER_AT) const {
    if (!before.empty() && before.size() != layers.size())
      throw ShapeError("Deep: states of " + std::to_string(before.size()) + " layers are given; it has " +
                       std::to_string(layers.size()) + str(at));
    States after;
    after.reserve(layers.size());
    for (size_t k = 0; k < layers.size(); ++k) {
      if (k > 0 && dropout > 0) x = espalier::dropout(x, dropout, at);
      after.push_back(layers[k](x, before.empty() ? StateOf<R>{} : before[k], at));
      x = output(after.back());
    }
    return after;
  }
};

using DeepRNN = Deep<RNN>;
using DeepLSTM = Deep<LSTM>;
using DeepGRU = Deep<GRU>;

}  // namespace espalier::nn
