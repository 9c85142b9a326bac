// A Tree-LSTM with trees, for timing the host's work. Rows are narrow, since no benchmark here computes values.
#pragma once
#include <espalier/data/sentiment.h>
#include <espalier/espalier.h>

#include <numeric>
#include <vector>

namespace espalier::micro {

using data::sentiment::Tree;

struct TreeModel {
  nn::Embedding words;
  nn::TreeLSTM lstm;
  nn::Linear out;
  explicit TreeModel(Scope p)
      : words(p / "words", data::sentiment::generated_words, 8), lstm(p / "lstm", 8, 8), out(p / "out", 8, 5) {}

  // Records a loss for every node.
  void record(Graph& g, const Tree& tree, std::vector<nn::State>& states, std::vector<Expr>& losses) const {
    states.clear();
    for (const Tree::Node& n : tree.nodes) {
      states.push_back(n.is_leaf() ? lstm.leaf(words(g, n.word)) : lstm.node(states[n.left], states[n.right]));
      losses.push_back(cross_entropy(out(states.back().h), n.label));
    }
  }
};

// A minibatch recorded on a tape.
struct RecordedTrees {
  explicit RecordedTrees(size_t n) : model(params), trees(data::sentiment::generate(n, 1)), graph(engine.graph()) {
    record();
  }
  void record() {
    losses.clear();
    for (const Tree& t : trees) model.record(graph, t, states, losses);
  }
  std::vector<uint32_t> calls() const {
    std::vector<uint32_t> all(graph.calls());
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }
  std::vector<uint32_t> loss_values() const {
    std::vector<uint32_t> ids;
    for (const Expr loss : losses) ids.push_back(loss.id());
    return ids;
  }

  Parameters params{1};
  TreeModel model;
  std::vector<Tree> trees;
  Engine engine;
  Graph graph;
  std::vector<nn::State> states;
  std::vector<Expr> losses;
};

}  // namespace espalier::micro
