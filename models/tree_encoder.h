// Encodes a binary tree of tokens with a recursive network, from the leaves to the root.
//
// A node is the Tree-LSTM of Tai et al. 2015 (with the recurrent dropout of Semeniuta et al. 2016, as in TensorFlow
// Fold, Looks et al. 2017), the TreeRNN of Socher et al. 2011, or the RNTN of Socher et al. 2013. Used by
// tree_classifier.h and entailment.h.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include <espalier/data/binary_tree.h>
#include <espalier/espalier.h>

#include "models/rare_words.h"

namespace espalier::models {

struct TreeEncoder {
  enum class Node { tree_lstm, tree_rnn, rntn };
  struct Options {
    Node node = Node::tree_lstm;
    int tokens = 0, dim = 32, hidden = 64;
    float token_dropout = 0, node_dropout = 0;
    std::string table = "tokens";  // name of the embedding table; `start` initialises it
    Init start = init::normal(0, 1);
    RareWords rare{};
  };
  using State = nn::State;  // state of a subtree; c is empty for nodes without a memory cell

  Options options;
  Lookup tokens;
  std::function<State(Graph&, int token)> leaf;
  std::function<State(const State&, const State&)> node;

  TreeEncoder(Scope p, const Options& o) : options(o), tokens(p.add_lookup(o.table, o.tokens, {o.dim}, o.start)) {
    switch (o.node) {
      case Node::tree_lstm:
        make_lstm(p / "lstm");
        break;
      case Node::tree_rnn:
        make_plain(p, nn::TreeRNN(p / "rnn", o.hidden).node);
        break;
      case Node::rntn:
        make_plain(p, nn::RNTN(p / "rntn", o.hidden).node);
        break;
    }
  }

  // The state of every node. Children precede their parents, so a loop suffices and deep trees need no recursion.
  std::vector<State> operator()(Graph& g, const data::binary_tree::Tree& tree) const {
    std::vector<State> states;
    states.reserve(tree.nodes.size());
    for (const auto& n : tree.nodes)
      states.push_back(n.is_leaf() ? leaf(g, options.rare(g, n.leaf)) : node(states[n.left], states[n.right]));
    return states;
  }

 private:
  // Dropout applies only to the new candidate values, never to the memory c, which must not fade on the way up.
  void make_lstm(Scope p) {
    const nn::TreeLSTM lstm(p, options.dim, options.hidden);
    const int h = options.hidden;
    leaf = p.cell("leaf", {{}}, [&](Index token) -> State {
      const auto [i, o, u] = split<3>(linear(row(token), lstm.W, lstm.b));
      const Expr c = sigmoid(i) * dropout(tanh(u), options.node_dropout);
      return {sigmoid(o) * tanh(c), c};
    });
    node = p.cell("node", {{h}, {h}}, [&](State l, State r) -> State {
      const Expr both = concat(l.h, r.h);
      const auto [i, o, u] = split<3>(linear(both, lstm.U, lstm.b));
      const auto [fl, fr] = split<2>(linear(both, lstm.Uf, lstm.bf));
      const Expr c = sigmoid(i) * dropout(tanh(u), options.node_dropout) + sigmoid(fl) * l.c + sigmoid(fr) * r.c;
      return {sigmoid(o) * tanh(c), c};
    });
  }

  // A leaf projects its token to the width of a node.
  void make_plain(Scope p, const Cell<Expr(Expr, Expr)>& join) {
    const nn::Linear in(p / "in", options.dim, options.hidden);
    const auto wide = p.cell("leaf", {{}}, [&](Index token) { return tanh(in(row(token))); });
    const auto pair = p.cell("node", {{options.hidden}, {options.hidden}},
                             [&](Expr l, Expr r) { return dropout(join(l, r), options.node_dropout); });
    leaf = [wide](Graph& g, int token) { return State{wide(g, token), {}}; };
    node = [pair](const State& l, const State& r) { return State{pair(l.h, r.h), {}}; };
  }

  Expr row(Index token) const { return dropout(lookup(tokens, token), options.token_dropout); }
};

}  // namespace espalier::models
