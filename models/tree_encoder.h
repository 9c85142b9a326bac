// A binary tree of tokens as rows of numbers: a recursive network from the leaves to the root.
//
// Two parts are joined by the Tree-LSTM of Tai et al. 2015, with the recurrent dropout of Semeniuta et al. 2016 as
// TensorFlow Fold has it (Looks et al. 2017), by the TreeRNN of Socher et al. 2011, or by the RNTN of Socher et al.
// 2013. What judges such trees shares it: tree_sentiment.h, tree_classifier.h, entailment.h.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include <espalier/espalier.h>

namespace espalier::models {

struct TreeEncoder {
  enum class Node { tree_lstm, tree_rnn, rntn };
  struct Options {
    Node node = Node::tree_lstm;
    int tokens = 0, dim = 32, hidden = 64;
    float token_dropout = 0, node_dropout = 0;
    std::string table = "tokens";  // the name of the rows of tokens, and how they start
    Init start = init::normal(0, 1);
  };
  using State = nn::State;  // of a part of the tree; c is empty where a node has no memory

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

  // The state of every node. Children stand before their parents, so a loop meets them in time, and a deep tree needs
  // no stack.
  template <class Tree>
  std::vector<State> operator()(Graph& g, const Tree& tree) const {
    std::vector<State> states;
    states.reserve(tree.nodes.size());
    for (const auto& n : tree.nodes)
      states.push_back(n.is_leaf() ? leaf(g, token_of(n)) : node(states[n.left], states[n.right]));
    return states;
  }

 private:
  // Dropout takes from what is new, never from what is remembered: c does not fade on the way up.
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

  // A leaf is its token, made as wide as a node.
  void make_plain(Scope p, const Cell<Expr(Expr, Expr)>& join) {
    const nn::Linear in(p / "in", options.dim, options.hidden);
    const auto wide = p.cell("leaf", {{}}, [&](Index token) { return tanh(in(row(token))); });
    const auto pair = p.cell("node", {{options.hidden}, {options.hidden}},
                             [&](Expr l, Expr r) { return dropout(join(l, r), options.node_dropout); });
    leaf = [wide](Graph& g, int token) { return State{wide(g, token), {}}; };
    node = [pair](const State& l, const State& r) { return State{pair(l.h, r.h), {}}; };
  }

  Expr row(Index token) const { return dropout(lookup(tokens, token), options.token_dropout); }
  static int token_of(const data::binary_tree::Tree::Node& n) { return n.leaf; }
  static int token_of(const data::sentiment::Tree::Node& n) { return n.word; }
};

}  // namespace espalier::models
