// Classifies texts, or predicts numbers from them: a bidirectional LSTM whose outputs are pooled over the words
// (maximum and mean; Conneau et al. 2017), or a bag of words and word pairs (Joulin et al. 2017), which is fast and
// needs many examples.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <espalier/espalier.h>

#include "models/rare_words.h"

namespace espalier::models {

struct TextClassifier {
  struct Options {
    bool bag_of_words = false;
    int words = 0, outputs = 0;
    int dim = 100, hidden = 100, pairs = 100'000;  // pairs: rows of the table of hashed word pairs
    float word_dropout = 0, dropout = 0;
    RareWords rare{};
  };

  Options options;
  Lookup words;
  std::optional<Lookup> pairs;  // bag of words only
  std::optional<nn::LSTM> forward, backward;
  nn::Linear out;
  Cell<Expr(Index)> word, pair;
  Cell<Expr(Many<Expr>)> read;  // the outputs, from one row per word

  TextClassifier(Scope p, const Options& o)
      : options(o),
        words(p.add_lookup("words", o.words, {o.dim}, init::uniform(-0.05f, 0.05f))),
        out(p / "out", o.bag_of_words ? o.dim : 4 * o.hidden, o.outputs),
        word(p.cell("word", {{}}, [&](Index w) { return dropout(lookup(words, w), o.word_dropout); })) {
    if (o.bag_of_words) {
      pairs = p.add_lookup("pairs", o.pairs, {o.dim}, init::uniform(-0.05f, 0.05f));
      pair = p.cell("pair", {{}}, [&](Index w) { return dropout(lookup(*pairs, w), o.word_dropout); });
      read = p.cell("read", {{o.dim}}, [&](Many<Expr> rows) { return out(dropout(mean_rows(rows), o.dropout)); });
    } else {
      forward.emplace(p / "forward", o.dim, o.hidden);
      backward.emplace(p / "backward", o.dim, o.hidden);
      read = p.cell("read", {{2 * o.hidden}}, [&](Many<Expr> states) {
        return out(dropout(concat(max_rows(states), mean_rows(states)), o.dropout));
      });
      join = p.cell("join", {{o.hidden}, {o.hidden}}, [](Expr f, Expr b) { return concat(f, b); });
    }
  }

  Expr operator()(Graph& g, const std::vector<int>& text) const {
    std::vector<int> known;
    known.reserve(text.size());
    for (const int w : text) known.push_back(options.rare(g, w));
    std::vector<Expr> rows;
    rows.reserve(2 * text.size());
    for (const int w : known) rows.push_back(word(g, w));
    if (options.bag_of_words) {
      for (size_t i = 1; i < known.size(); ++i) rows.push_back(pair(g, hashed(known[i - 1], known[i])));
      return read(rows);
    }
    std::vector<Expr> states = forward->run(rows);
    nn::State s;
    for (size_t i = rows.size(); i-- > 0;) {
      s = (*backward)(rows[i], s);
      states[i] = join(states[i], s.h);
    }
    return read(states);
  }

 private:
  Cell<Expr(Expr, Expr)> join;

  int hashed(int left, int right) const {  // the finaliser of MurmurHash3
    uint64_t h = (static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32) | static_cast<uint32_t>(right);
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
    return static_cast<int>((h ^ (h >> 33)) % static_cast<uint64_t>(options.pairs));
  }
};

}  // namespace espalier::models
