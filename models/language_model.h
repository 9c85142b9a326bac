// A language model: an LSTM reads a sentence and predicts the next word after each word, with a full softmax (Mikolov
// et al. 2010). Dropout is placed as in Zaremba et al. 2014.
#pragma once
#include <vector>

#include <espalier/espalier.h>

namespace espalier::models {

struct LanguageModel {
  struct Options {
    int words = 0;  // vocabulary size; the last entry marks the start and the end of a sentence
    int dim = 128, hidden = 256;
    float dropout = 0;
    int edge() const { return words - 1; }
  };
  using Sentence = std::vector<int>;

  Options options;
  Lookup words;
  nn::LSTM lstm;
  nn::Linear out;
  Cell<Expr(Index)> word;
  Cell<Expr(Expr)> scores;       // scores of the next word
  Cell<Expr(Expr, Index)> loss;  // -log probability of the given next word

  LanguageModel(Scope p, const Options& o)
      : options(o),
        words(p.add_lookup("words", o.words, {o.dim})),
        lstm(p / "lstm", o.dim, o.hidden),
        out(p / "out", o.hidden, o.words),
        word(p.cell("word", {{}}, [&](Index w) { return dropout(lookup(words, w), o.dropout); })),
        scores(p.cell("scores", {{o.hidden}}, [&](Expr h) { return out(dropout(h, o.dropout)); })),
        loss(p.cell("loss", {{o.hidden}, {}},
                    [&](Expr h, Index next) { return cross_entropy(out(dropout(h, o.dropout)), next); })) {}

  // The loss of every word given the words before it, then the loss of the end of the sentence.
  std::vector<Expr> losses(Graph& g, const Sentence& sentence) const {
    std::vector<Expr> all;
    all.reserve(sentence.size() + 1);
    nn::State s = lstm(word(g, options.edge()));
    for (const int w : sentence) {
      all.push_back(loss(s.h, w));
      s = lstm(word(g, w), s);
    }
    all.push_back(loss(s.h, options.edge()));
    return all;
  }

  // Continues the sentence by sampling words, up to its end or to `longest` words.
  Task<Sentence> go_on(Graph& g, Sentence sentence, size_t longest) const {
    if (sentence.size() >= longest) co_return sentence;
    nn::State s = lstm(word(g, options.edge()));
    for (const int w : sentence) s = lstm(word(g, w), s);
    while (sentence.size() < longest) {
      const int next = co_await sample(scores(s.h));
      if (next == options.edge()) break;
      sentence.push_back(next);
      s = lstm(word(g, next), s);
    }
    co_return sentence;
  }
};

}  // namespace espalier::models
