// A binary tree of tokens as a row of numbers: a recursive network from the leaves to the root.
//
// Two parts are joined by the Tree-LSTM of Tai et al. 2015, the TreeRNN of Socher et al. 2011 or the RNTN of Socher et
// al. 2013. What judges such trees shares it: tree_classifier.h, entailment.h.
#pragma once
#include <functional>
#include <vector>

#include <espalier/espalier.h>

namespace espalier::models {

struct TreeEncoder {
  enum class Node { tree_lstm, tree_rnn, rntn };
  struct Options {
    Node node = Node::tree_lstm;
    int tokens = 0, dim = 32, hidden = 64;
  };
  using State = nn::State;  // of a part of the tree; c is empty where a node has no memory

  Lookup tokens;
  std::function<State(Graph&, int token)> leaf;
  std::function<State(const State&, const State&)> node;

  TreeEncoder(Scope p, const Options& o) : tokens(p.add_lookup("tokens", o.tokens, {o.dim}, init::normal(0, 1))) {
    switch (o.node) {
      case Node::tree_lstm: {
        const nn::TreeLSTM lstm(p / "lstm", o.dim, o.hidden);
        leaf = p.cell("leaf", {{}}, [&](Index token) { return lstm.leaf(lookup(tokens, token)); });
        node = lstm.node;
        break;
      }
      case Node::tree_rnn:
        make_plain(p, o, nn::TreeRNN(p / "rnn", o.hidden).node);
        break;
      case Node::rntn:
        make_plain(p, o, nn::RNTN(p / "rntn", o.hidden).node);
        break;
    }
  }

  // The state of every node. Children stand before their parents, so a loop meets them in time, and a deep tree needs
  // no stack.
  std::vector<State> operator()(Graph& g, const data::binary_tree::Tree& tree) const {
    std::vector<State> states;
    states.reserve(tree.nodes.size());
    for (const auto& n : tree.nodes)
      states.push_back(n.is_leaf() ? leaf(g, n.leaf) : node(states[n.left], states[n.right]));
    return states;
  }

 private:
  // A leaf is its token, made as wide as a node.
  void make_plain(Scope p, const Options& o, const Cell<Expr(Expr, Expr)>& join) {
    const nn::Linear in(p / "in", o.dim, o.hidden);
    const auto wide = p.cell("leaf", {{}}, [&](Index token) { return tanh(in(lookup(tokens, token))); });
    leaf = [wide](Graph& g, int token) { return State{wide(g, token), {}}; };
    node = [join](const State& l, const State& r) { return State{join(l.h, r.h), {}}; };
  }
};

}  // namespace espalier::models
