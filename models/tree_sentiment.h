// Sentiment of phrases: a recursive network over a binary tree, with scores of the labels at every node.
//
// Three ways to join two phrases: the Tree-LSTM of Tai et al. 2015 with the recurrent dropout of Semeniuta et al. 2016,
// as TensorFlow Fold has it (Looks et al. 2017); the TreeRNN of Socher et al. 2011; the RNTN of Socher et al. 2013.
#pragma once
#include <functional>
#include <vector>

#include <espalier/espalier.h>

namespace espalier::models {

struct TreeSentiment {
  enum class Node { tree_lstm, tree_rnn, rntn };
  struct Options {
    Node node = Node::tree_lstm;
    int words = 0, dim = 300, hidden = 150, labels = 5;
    float word_dropout = 0, node_dropout = 0, out_dropout = 0;
  };
  using State = nn::State;  // of a phrase; c is empty where a node has no memory

  Options options;
  Lookup words;
  nn::Linear out;
  std::function<State(Graph&, int word)> leaf;
  std::function<State(const State&, const State&)> node;
  Cell<Expr(Expr)> scores;       // of the labels
  Cell<Expr(Expr, Index)> loss;  // given the right one

  TreeSentiment(Scope p, const Options& o)
      : options(o),
        words(p.add_lookup("words", o.words, {o.dim}, init::uniform(-0.05f, 0.05f))),
        out(p / "out", o.hidden, o.labels),
        scores(p.cell("scores", {{o.hidden}}, [&](Expr h) { return out(dropout(h, o.out_dropout)); })),
        loss(p.cell("loss", {{o.hidden}, {}},
                    [&](Expr h, Index label) { return cross_entropy(out(dropout(h, o.out_dropout)), label); })) {
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
  std::vector<State> encode(Graph& g, const data::sentiment::Tree& tree) const {
    std::vector<State> states;
    states.reserve(tree.nodes.size());
    for (const auto& n : tree.nodes)
      states.push_back(n.is_leaf() ? leaf(g, n.word) : node(states[n.left], states[n.right]));
    return states;
  }

 private:
  // Dropout takes from what is new, never from what is remembered: c does not fade on the way up.
  void make_lstm(Scope p) {
    const nn::TreeLSTM lstm(p, options.dim, options.hidden);
    const int h = options.hidden;
    leaf = p.cell("leaf", {{}}, [&](Index word) -> State {
      const auto [i, o, u] = split<3>(linear(word_row(word), lstm.W, lstm.b));
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

  // A leaf is its word, made as wide as a node.
  void make_plain(Scope p, const Cell<Expr(Expr, Expr)>& join) {
    const nn::Linear in(p / "in", options.dim, options.hidden);
    const auto word = p.cell("leaf", {{}}, [&](Index w) { return tanh(in(word_row(w))); });
    const auto pair = p.cell("node", {{options.hidden}, {options.hidden}},
                             [&](Expr l, Expr r) { return dropout(join(l, r), options.node_dropout); });
    leaf = [word](Graph& g, int w) { return State{word(g, w), {}}; };
    node = [pair](const State& l, const State& r) { return State{pair(l.h, r.h), {}}; };
  }

  Expr word_row(Index word) const { return dropout(lookup(words, word), options.word_dropout); }
};

}  // namespace espalier::models
