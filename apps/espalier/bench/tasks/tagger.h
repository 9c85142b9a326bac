// A BiLSTM tagger. tagger and tagger-char differ only in how they embed a word.
#pragma once
#include <span>
#include <vector>

#include <espalier/espalier.h>

#include "bench/tasks/lstm_flops.h"

namespace espalier::app::bench {

constexpr int tagger_dim = 128, tagger_hidden = 50, tagger_layer = 32;
constexpr uint64_t rare_count = 5;             // a word with at most this count is rare
constexpr size_t generated_sentences = 1'696;  // as many as in the published measurements

struct TaggerSizes {
  int words, tags, dim, hidden;
};

struct Tagger {
  TaggerSizes sizes;
  nn::Embedding words;
  nn::LSTM forward, backward;
  Parameter H, O;
  Cell<Expr(Expr, Expr, Index)> loss;

  Tagger(Scope p, const TaggerSizes& s)
      : sizes(s),
        words(p / "words", s.words, s.dim, init::glorot()),
        forward(p / "forward", s.dim, s.hidden),
        backward(p / "backward", s.dim, s.hidden),
        H(p.add("H", {tagger_layer, 2 * s.hidden})),
        O(p.add("O", {s.tags, tagger_layer})),
        // From both states to the loss in one call; the concat is part of the first product.
        loss(p.cell("loss", {{s.hidden}, {s.hidden}, {}}, [&](Expr f, Expr b, Index tag) {
          return cross_entropy(linear(tanh(linear(concat(f, b), H)), O), tag);
        })) {}

  // Runs both LSTMs; returns one loss per word. Sentence: a sequence of tokens with a tag.
  template <class Sentence>
  std::vector<Expr> losses(std::span<const Expr> xs, const Sentence& sentence) const {
    const std::vector<Expr> from_left = forward.run(xs);
    std::vector<Expr> all(xs.size());
    nn::State s;
    for (size_t i = xs.size(); i-- > 0;) {
      s = backward(xs[i], s);
      all[i] = loss(from_left[i], s.h, sentence[i].tag);
    }
    return all;
  }

  double product_flops(double n) const {  // for a sentence of n words
    const double layer = 2.0 * tagger_layer * 2 * sizes.hidden + 2.0 * sizes.tags * tagger_layer;
    return 2 * lstm_flops(sizes.dim, sizes.hidden, n) + n * layer;
  }
};

}  // namespace espalier::app::bench
