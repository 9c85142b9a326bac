// A BiLSTM tagger: what the two taggers share. They differ in what a word is made of.
#pragma once
#include <span>
#include <vector>

#include "bench/recurrence.h"

namespace espalier::app::bench {

constexpr int tagger_dim = 128, tagger_hidden = 50, tagger_layer = 32;
constexpr uint64_t rare_count = 5;             // a word seen no more often is rare
constexpr size_t generated_sentences = 1'696;  // as many as the published figures are measured on

struct TaggerSizes {
  int words, tags, dim, hidden;
};

struct Tagger {
  // What both directions take from a word.
  struct Gates {
    Expr forward, backward;
  };

  TaggerSizes sizes;
  Lookup words;
  Recurrence forward, backward;
  Parameter H, O;
  Cell<Gates(Index)> word;
  Cell<Expr(Expr, Expr, Index)> loss;

  Tagger(Scope p, const TaggerSizes& s)
      : sizes(s),
        words(p.add_lookup("words", s.words, {s.dim}, init::glorot())),
        forward(p / "forward", s.dim, s.hidden),
        backward(p / "backward", s.dim, s.hidden),
        H(p.add("H", {tagger_layer, 2 * s.hidden})),
        O(p.add("O", {s.tags, tagger_layer})),
        word(p.cell("word", {{}}, [&](Index w) { return gates(lookup(words, w)); })),
        loss(p.cell("loss", {{s.hidden}, {s.hidden}, {}}, [&](Expr f, Expr b, Index tag) {
          return cross_entropy(linear(tanh(linear(concat(f, b), H)), O), tag);
        })) {}

  // Inside a cell.
  Gates gates(Expr x) const { return {forward.gates(x), backward.gates(x)}; }

  // Reads from both ends; a loss for every word. Sentence: tokens with a tag.
  template <class Sentence>
  std::vector<Expr> losses(std::span<const Gates> xs, const Sentence& sentence) const {
    const size_t n = xs.size();
    std::vector<Expr> from_left(n), all(n);
    nn::State s;
    for (size_t i = 0; i < n; ++i) from_left[i] = (s = forward(xs[i].forward, s)).h;
    s = {};
    for (size_t i = n; i-- > 0;) {
      s = backward(xs[i].backward, s);
      all[i] = loss(from_left[i], s.h, sentence[i].tag);
    }
    return all;
  }

  double product_flops(double n) const {  // of a sentence of n words, each a row of the table
    const double layer = 2.0 * tagger_layer * 2 * sizes.hidden + 2.0 * sizes.tags * tagger_layer;
    return 2 * Recurrence::product_flops(sizes.dim, sizes.hidden, n) + n * layer;
  }
};

}  // namespace espalier::app::bench
