// Classifies trees with a recursive network over a binary tree, with a loss at the root or at every labelled node. For
// sentiment of phrases (Socher et al. 2013, Tai et al. 2015), ListOps (Nangia & Bowman 2018) and arithmetic.
// tree_encoder.h defines the kinds of nodes.
//
// The bag-of-words baseline sees the tokens but not the tree: any gain over it comes from the tree.
#pragma once
#include <optional>
#include <span>
#include <utility>
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
    float out_dropout = 0;               // on the states given to the output layer
    std::vector<float> class_weights{};  // factors of the losses; empty: 1
  };
  using Tree = data::binary_tree::Tree;

  Options options;
  std::optional<TreeEncoder> encode;  // nullopt: bag of words
  Lookup tokens;                      // embeddings
  Cell<Expr(Index)> word;
  Cell<Expr(Many<Expr>)> bag;
  nn::Linear out;
  Cell<Expr(Expr)> scores;       // scores of the classes
  Cell<Expr(Expr, Index)> loss;  // cross entropy with the given class

  TreeClassifier(Scope p, const Options& o)
      : options(o),
        encode(o.bag_of_words ? std::optional<TreeEncoder>() : std::optional<TreeEncoder>(std::in_place, p, o.tree)),
        tokens(encode ? encode->tokens : nn::Embedding(p / "words", o.tree.tokens, o.tree.dim).weight),
        out(p / "out", o.tree.hidden, o.classes),
        scores(p.cell("scores", {{o.tree.hidden}}, [&](Expr h) { return out(dropout(h, o.out_dropout)); })),
        loss(p.cell("loss", {{o.tree.hidden}, {}},
                    [&](Expr h, Index c) { return cross_entropy(out(dropout(h, o.out_dropout)), c); })) {
    if (o.bag_of_words) make_bag(p, o.tree);
  }

  // Scores of the classes of the whole tree.
  Expr operator()(Graph& g, const Tree& tree) const {
    return scores(encode ? (*encode)(g, tree).back().h : bag_of(g, tree));
  }

  // One loss per labelled node; class -1: not labelled. The bag of words has one loss, for the root.
  std::vector<Expr> losses(Graph& g, const Tree& tree, std::span<const int> classes) const {
    if (!encode) return {weighted_loss(bag_of(g, tree), classes.back())};
    const std::vector<nn::State> states = (*encode)(g, tree);
    std::vector<Expr> all;
    all.reserve(states.size());
    for (size_t i = 0; i < states.size(); ++i)
      if (classes[i] >= 0) all.push_back(weighted_loss(states[i].h, classes[i]));
    return all;
  }
  // The loss of the root alone.
  Expr root_loss(Graph& g, const Tree& tree, int root_class) const {
    return weighted_loss(encode ? (*encode)(g, tree).back().h : bag_of(g, tree), root_class);
  }

 private:
  void make_bag(Scope p, const TreeEncoder::Options& o) {
    const nn::MLP layers(p / "layers", {o.dim, o.hidden, o.hidden});
    word = p.cell("word", {{}}, [&](Index token) { return dropout(lookup(tokens, token), o.token_dropout); });
    bag = p.cell("bag", {{o.dim}}, [&](Many<Expr> all) { return relu(layers(mean_rows(all))); });
  }
  Expr bag_of(Graph& g, const Tree& tree) const {
    std::vector<Expr> words;
    for (const auto& n : tree.nodes)
      if (n.is_leaf()) words.push_back(word(g, options.tree.rare(g, n.leaf)));
    return bag(words);
  }
  Expr weighted_loss(Expr state, int c) const {
    const Expr plain = loss(state, c);
    return options.class_weights.empty() ? plain : plain * options.class_weights[static_cast<size_t>(c)];
  }
};

}  // namespace espalier::models
