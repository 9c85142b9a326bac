// A sequence tagger: a bidirectional LSTM (Graves and Schmidhuber 2005), scores of the tags at every word, and a
// conditional random field over neighbouring tags (Huang et al. 2015). The input row of a word is its embedding, an
// embedding of its word shape (Collobert et al. 2011) and, optionally, a convolution over its letters (Ma and Hovy
// 2016).
#pragma once
#include <optional>
#include <vector>

#include <espalier/espalier.h>

#include "models/linear_chain.h"
#include "models/rare_words.h"

namespace espalier::models {

struct Tagger {
  struct Options {
    int words = 0, shapes = 0, letters = 0, tags = 0;  // letters = 0: no convolution
    int dim = 100, shape_dim = 10, letter_dim = 25, filters = 50, hidden = 150;
    float word_dropout = 0, dropout = 0;
    RareWords rare{};
    int row() const { return dim + shape_dim + (letters > 0 ? filters : 0); }
  };
  struct Word {
    int form = 0, shape = 0;
    std::vector<int> letters{};
  };
  struct Sentence {
    std::vector<Word> words;
    std::vector<int> tags{};  // gold tags, for training
  };

  Options options;
  Lookup words, shapes;
  std::optional<nn::CharCNN<3>> letters;
  nn::LSTM forward, backward;
  nn::Linear out;
  LinearChain chain;
  Cell<Expr(Index, Index)> word;
  Cell<Expr(Index, Index, Expr)> spelled_word;
  Cell<Expr(Expr, Expr)> scores;  // scores of the tags, from the states of both LSTMs

  Tagger(Scope p, const Options& o)
      : options(o),
        words(p.add_lookup("words", o.words, {o.dim})),
        shapes(p.add_lookup("shapes", o.shapes, {o.shape_dim})),
        forward(p / "forward", o.row(), o.hidden),
        backward(p / "backward", o.row(), o.hidden),
        out(p / "out", 2 * o.hidden, o.tags),
        chain(p / "chain", o.tags),
        scores(p.cell("scores", {{o.hidden}, {o.hidden}},
                      [&](Expr f, Expr b) { return out(dropout(concat(f, b), o.dropout)); })) {
    if (o.letters > 0) {
      letters.emplace(p / "letters", o.letters, o.letter_dim, o.filters);
      spelled_word = p.cell("word", {{}, {}, {o.filters}}, [&](Index form, Index shape, Expr spelled) {
        return dropout(concat(lookup(words, form), lookup(shapes, shape), tanh(spelled)), o.word_dropout);
      });
    } else {
      word = p.cell("word", {{}, {}}, [&](Index form, Index shape) {
        return dropout(concat(lookup(words, form), lookup(shapes, shape)), o.word_dropout);
      });
    }
  }

  std::vector<Expr> losses(Graph& g, const Sentence& sentence) const {
    return chain.losses(all_scores(g, sentence), sentence.tags);
  }
  // Scores of the tags of each word; chain.best decodes them.
  std::vector<Expr> all_scores(Graph& g, const Sentence& sentence) const {
    std::vector<Expr> rows;
    rows.reserve(sentence.words.size());
    for (const Word& w : sentence.words) rows.push_back(row(g, w));
    const std::vector<Expr> from_left = forward.run(rows);
    std::vector<Expr> found(rows.size());
    nn::State s;
    for (size_t i = rows.size(); i-- > 0;) {
      s = backward(rows[i], s);
      found[i] = scores(from_left[i], s.h);
    }
    return found;
  }

 private:
  Expr row(Graph& g, const Word& w) const {
    const int form = options.rare(g, w.form);
    return letters ? spelled_word(form, w.shape, (*letters)(g, w.letters)) : word(g, form, w.shape);
  }
};

}  // namespace espalier::models
