// Classifies expressions with a recursive network over a binary tree, with a loss at the root or at every labelled
// node. For ListOps (Nangia & Bowman 2018) and arithmetic, where the value depends on the whole tree.
//
// The bag-of-words baseline sees the tokens but not the tree: any gain over it comes from the tree.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include <espalier/data/binary_tree.h>
#include <espalier/espalier.h>

#include "models/tree_encoder.h"

namespace espalier::models {

struct TreeClassifier {
  struct Options {
    TreeEncoder::Options tree{};
    bool bag_of_words = false;
    int classes = 10;
  };
  using Tree = data::binary_tree::Tree;

  std::optional<TreeEncoder> encode;  // nullopt: bag of words
  Cell<Expr(Index)> word;
  Cell<Expr(Many<Expr>)> bag;
  nn::Linear out;
  Cell<Expr(Expr)> scores;       // scores of the classes
  Cell<Expr(Expr, Index)> loss;  // cross entropy with the given class

  TreeClassifier(Scope p, const Options& o)
      : out(p / "out", o.tree.hidden, o.classes),
        scores(p.cell("scores", {{o.tree.hidden}}, [&](Expr h) { return out(h); })),
        loss(p.cell("loss", {{o.tree.hidden}, {}}, [&](Expr h, Index c) { return cross_entropy(out(h), c); })) {
    if (o.bag_of_words)
      make_bag(p, o.tree);
    else
      encode.emplace(p, o.tree);
  }

  // Scores of the classes of the whole expression.
  Expr operator()(Graph& g, const Tree& tree) const {
    return scores(encode ? (*encode)(g, tree).back().h : bag_of(g, tree));
  }

  // One loss per labelled node; class -1: not labelled. The bag of words has one loss, for the root.
  std::vector<Expr> losses(Graph& g, const Tree& tree, std::span<const int> classes) const {
    if (!encode) return {loss(bag_of(g, tree), classes.back())};
    const std::vector<nn::State> states = (*encode)(g, tree);
    std::vector<Expr> all;
    for (size_t i = 0; i < states.size(); ++i)
      if (classes[i] >= 0) all.push_back(loss(states[i].h, classes[i]));
    return all;
  }

 private:
  void make_bag(Scope p, const TreeEncoder::Options& o) {
    const nn::Embedding words(p / "words", o.tokens, o.dim);
    const nn::MLP layers(p / "layers", {o.dim, o.hidden, o.hidden});
    word = p.cell("word", {{}}, [&](Index token) { return lookup(words.weight, token); });
    bag = p.cell("bag", {{o.dim}}, [&](Many<Expr> all) { return relu(layers(mean_rows(all))); });
  }
  Expr bag_of(Graph& g, const Tree& tree) const {
    std::vector<Expr> words;
    for (const auto& n : tree.nodes)
      if (n.is_leaf()) words.push_back(word(g, n.leaf));
    return bag(words);
  }
};

}  // namespace espalier::models
