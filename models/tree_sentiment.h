// Sentiment of phrases: a recursive network over a binary tree with label scores at every node (Socher et al. 2013, Tai
// et al. 2015). tree_encoder.h defines the kinds of nodes.
#pragma once
#include <vector>

#include <espalier/data/sentiment.h>
#include <espalier/espalier.h>

#include "models/tree_encoder.h"

namespace espalier::models {

struct TreeSentiment {
  struct Options {
    TreeEncoder::Node node = TreeEncoder::Node::tree_lstm;
    int words = 0, dim = 300, hidden = 150, labels = 5;
    float word_dropout = 0, node_dropout = 0, out_dropout = 0;
  };

  TreeEncoder encode;  // one state per phrase
  nn::Linear out;
  Cell<Expr(Expr)> scores;       // scores of the labels
  Cell<Expr(Expr, Index)> loss;  // cross entropy with the given label

  TreeSentiment(Scope p, const Options& o)
      : encode(p, {.node = o.node,
                   .tokens = o.words,
                   .dim = o.dim,
                   .hidden = o.hidden,
                   .token_dropout = o.word_dropout,
                   .node_dropout = o.node_dropout,
                   .table = "words",
                   .start = init::uniform(-0.05f, 0.05f)}),
        out(p / "out", o.hidden, o.labels),
        scores(p.cell("scores", {{o.hidden}}, [&](Expr h) { return out(dropout(h, o.out_dropout)); })),
        loss(p.cell("loss", {{o.hidden}, {}},
                    [&](Expr h, Index label) { return cross_entropy(out(dropout(h, o.out_dropout)), label); })) {}

  // Scores of the labels of the whole sentence.
  Expr operator()(Graph& g, const data::sentiment::Tree& tree) const { return scores(encode(g, tree).back().h); }

  // One loss per labelled phrase; label -1: not labelled.
  std::vector<Expr> losses(Graph& g, const data::sentiment::Tree& tree, const std::vector<int>& labels) const {
    const std::vector<nn::State> states = encode(g, tree);
    std::vector<Expr> all;
    all.reserve(states.size());
    for (size_t i = 0; i < states.size(); ++i)
      if (labels[i] >= 0) all.push_back(loss(states[i].h, labels[i]));
    return all;
  }
};

}  // namespace espalier::models
