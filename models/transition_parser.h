// A greedy dependency parser: a hidden layer scores arc-hybrid moves from the BiLSTM states of four words, the top
// three of the stack and the next one (Kiperwasser and Goldberg 2016, but with cross entropy instead of their hinge
// loss, and with exactly one child of the root).
//
// It trains on the moves of a static oracle, or, as a task, with a dynamic oracle: the parser follows its own scores
// and learns the best move from each state it reaches (Goldberg and Nivre 2013).
#pragma once
#include <array>
#include <optional>
#include <span>
#include <vector>

#include <espalier/espalier.h>

#include "models/arc_hybrid.h"
#include "models/rare_words.h"

namespace espalier::models {

struct TransitionParser {
  struct Options {
    int words = 0, tags = 0, labels = 0;
    int word_dim = 100, tag_dim = 50, hidden = 200, layers = 2, layer = 200;
    float word_dropout = 0, dropout = 0;
    RareWords rare{};
  };
  struct Word {
    int form = 0, tag = 0;
  };
  struct Tree {
    std::vector<int> heads, labels;  // heads: 0 … n-1; n: the artificial root
  };
  struct Sentence {
    std::vector<Word> words;
    Tree tree{};  // gold tree, for training
  };
  using Slots = std::array<Expr, 4>;  // contributions of a word to the hidden layer, one per position it may be in

  Options options;
  Lookup words, tags, nothing;
  nn::DeepBiLSTM context;
  Parameter in, bias;
  nn::Linear out;
  Cell<Expr(Index, Index)> word;
  Cell<Slots(Expr)> slots;
  Cell<Slots(Index)> no_word;     // for positions beyond the end of the stack
  Cell<Expr(Slots)> scores;       // scores of shift, left with each label, right with each label
  Cell<Expr(Slots, Index)> loss;  // cross entropy with the given move

  TransitionParser(Scope p, const Options& o)
      : options(o),
        words(p.add_lookup("words", o.words + 1, {o.word_dim})),
        tags(p.add_lookup("tags", o.tags + 1, {o.tag_dim})),
        nothing(p.add_lookup("nothing", 1, {4 * o.layer})),
        context(p / "context", o.word_dim + o.tag_dim, o.hidden, o.layers, o.dropout),
        in(p.add("in", {4 * o.layer, 2 * o.hidden})),
        bias(p.add("bias", {o.layer}, init::constant(0))),
        out(p / "out", o.layer, 1 + 2 * o.labels),
        word(p.cell("word", {{}, {}},
                    [&](Index form, Index tag) {
                      return dropout(concat(lookup(words, form), lookup(tags, tag)), o.word_dropout);
                    })),
        slots(p.cell("slots", {{2 * o.hidden}}, [&](Expr x) { return cut(linear(dropout(x, o.dropout), in)); })),
        no_word(p.cell("no_word", {{}}, [&](Index i) { return cut(lookup(nothing, i)); })),
        scores(p.cell("scores", {{o.layer}}, [&](Slots s) { return score(s); })),
        loss(p.cell("loss", {{o.layer}, {}}, [&](Slots s, Index move) { return cross_entropy(score(s), move); })) {}

  // The losses of the oracle's moves, which lead to the gold tree.
  std::vector<Expr> losses(Graph& g, const Sentence& sentence) const {
    const std::vector<Slots> read = encode(g, sentence);
    std::vector<Expr> all;
    for (ArcHybrid state(size(sentence)); !state.done();) {
      const auto move = state.oracle(sentence.tree.heads);
      all.push_back(loss(features(read, state), number(move, right_label(sentence, state))));
      state.apply(move);
    }
    return all;
  }

  // The losses of the best moves along a path on which the parser chooses each move itself with probability `share`.
  Task<std::vector<Expr>> explore(Graph& g, const Sentence& sentence, float share) const {
    const std::vector<Slots> read = encode(g, sentence);
    std::vector<Expr> all;
    for (ArcHybrid state(size(sentence)); !state.done();) {
      const Expr scored = scores(features(read, state));
      const std::span<const float> now = co_await values(scored);
      const int label = right_label(sentence, state);
      auto best = state.oracle(sentence.tree.heads);  // among moves of equal cost, the one with the highest score
      const int least = state.cost(best, sentence.tree.heads);
      for (const auto move : moves)
        if (state.can(move) && state.cost(move, sentence.tree.heads) == least &&
            now[place(move, label)] > now[place(best, label)])
          best = move;
      all.push_back(cross_entropy(scored, number(best, label)));
      const bool own = static_cast<float>(g.random() >> 40) * 0x1p-24f < share;
      state.apply(own ? liked_best(state, now).move : best);
    }
    co_return all;
  }

  // Each sentence waits for the scores of its next move; the scores of all sentences are computed in one round.
  Task<Tree> parse(Graph& g, const Sentence& sentence) const {
    const std::vector<Slots> read = encode(g, sentence);
    ArcHybrid state(size(sentence));
    std::vector<int> labels(sentence.words.size());
    while (!state.done()) {
      const Expr scored = scores(features(read, state));
      const std::span<const float> now = co_await values(scored);
      const auto [move, label] = liked_best(state, now);
      const int popped = state.apply(move);
      if (popped >= 0) labels[static_cast<size_t>(popped)] = label;
    }
    co_return Tree{state.heads(), labels};
  }

 private:
  static constexpr std::array moves{ArcHybrid::shift, ArcHybrid::left, ArcHybrid::right};
  struct Choice {
    ArcHybrid::Move move = ArcHybrid::shift;
    int label = 0;
  };

  // All words, then the artificial root, then the empty position.
  std::vector<Slots> encode(Graph& g, const Sentence& sentence) const {
    std::vector<Expr> rows;
    rows.reserve(sentence.words.size() + 1);
    for (const Word& w : sentence.words) rows.push_back(word(g, options.rare(g, w.form), w.tag));
    rows.push_back(word(g, options.words, options.tags));
    std::vector<Slots> read;
    read.reserve(rows.size() + 1);
    for (const Expr x : context(rows)) read.push_back(slots(x));
    read.push_back(no_word(g, 0));
    return read;
  }

  static Slots features(const std::vector<Slots>& read, const ArcHybrid& state) {
    const std::array<int, 4> at{state.from_top(2), state.from_top(1), state.from_top(0), state.next()};
    Slots found;
    for (size_t k = 0; k < 4; ++k) found[k] = at[k] < 0 ? read.back()[k] : read[static_cast<size_t>(at[k])][k];
    return found;
  }
  static Slots cut(Expr x) {
    const auto [a, b, c, d] = split<4>(x);
    return {a, b, c, d};
  }
  Expr score(const Slots& s) const { return out(dropout(tanh(s[0] + s[1] + s[2] + s[3] + bias), options.dropout)); }

  Choice liked_best(const ArcHybrid& state, std::span<const float> now) const {
    std::optional<Choice> best;
    for (const auto move : moves)
      for (int label = 0; state.can(move) && label < (move == ArcHybrid::shift ? 1 : options.labels); ++label)
        if (!best || now[place(move, label)] > now[place(best->move, best->label)]) best = {move, label};
    return *best;
  }

  int number(ArcHybrid::Move move, int label) const {
    return move == ArcHybrid::shift ? 0 : 1 + (move == ArcHybrid::right ? options.labels : 0) + label;
  }
  size_t place(ArcHybrid::Move move, int label) const { return static_cast<size_t>(number(move, label)); }
  static int right_label(const Sentence& sentence, const ArcHybrid& state) {
    const int top = state.from_top(0);
    return top < 0 ? 0 : sentence.tree.labels[static_cast<size_t>(top)];
  }
  static int size(const Sentence& sentence) { return static_cast<int>(sentence.words.size()); }
};

}  // namespace espalier::models
