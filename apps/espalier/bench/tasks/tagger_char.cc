// tagger-char: the tagger with a character BiLSTM for rare words, as in DyNet's bilstm-tagger-withchar.
#include <string>

#include <espalier/data/tagged.h>
#include "bench/tasks/tagged_data.h"
#include "bench/tasks/tagger.h"

namespace espalier::app::bench {
namespace {

constexpr int char_dim = 20, edge = 256, chars = 257;  // bytes, and <*> before and after a word

struct Token {
  int word = -1, tag = 0;  // word -1: rare; `spelling` is set
  std::string spelling;
};
using Sentence = std::vector<Token>;

struct CharTagger {
  Tagger tagger;
  nn::Embedding letters;
  nn::LSTM from_left, from_right;  // each gives half of a word's embedding

  CharTagger(Scope p, const TaggerSizes& s)
      : tagger(p, s),
        letters(p / "letters", chars, char_dim, init::glorot()),
        from_left(p / "from_left", char_dim, s.dim / 2),
        from_right(p / "from_right", char_dim, s.dim / 2) {}

  Expr read(Graph& g, const std::string& word) const {
    std::vector<Expr> xs;
    xs.reserve(word.size() + 2);
    xs.push_back(letters(g, edge));
    for (const char c : word) xs.push_back(letters(g, static_cast<unsigned char>(c)));
    xs.push_back(xs.front());
    nn::State l, r;
    for (size_t i = 0; i < xs.size(); ++i) {
      l = from_left(xs[i], l);
      r = from_right(xs[xs.size() - 1 - i], r);
    }
    return concat(l.h, r.h);
  }

  std::vector<Expr> losses(Graph& g, const Sentence& sentence) const {
    std::vector<Expr> xs;
    xs.reserve(sentence.size());
    for (const Token& t : sentence) xs.push_back(t.word >= 0 ? tagger.words(g, t.word) : read(g, t.spelling));
    return tagger.losses(xs, sentence);
  }

  size_t tokens(const Sentence& sentence) const { return sentence.size(); }
  double product_flops(const Sentence& sentence) const {
    double flops = tagger.product_flops(static_cast<double>(sentence.size()));
    for (const Token& t : sentence)
      if (t.word < 0)
        flops += 2 * lstm_flops(char_dim, tagger.sizes.dim / 2, static_cast<double>(t.spelling.size()) + 2);
    return flops;
  }
};

std::vector<Sentence> spell_rare_words(const TaggedData& data) {
  std::vector<Sentence> sentences;
  for (const data::tagged::Sentence& given : data.sentences) {
    Sentence& sentence = sentences.emplace_back();
    for (const auto& [word, tag] : given) {
      if (data.is_rare(word))
        sentence.push_back({-1, tag, data.words.word(word)});
      else
        sentence.push_back({word, tag, {}});
    }
  }
  return sentences;
}

}  // namespace

std::unique_ptr<Task> tagger_char(const Sizes& s) {
  const TaggedData data(s);
  const TaggerSizes sizes = tagger_sizes(s, data.words.size(), data.tags.size());
  if (sizes.dim % 2 != 0) throw Error("tagger-char: --dim is " + std::to_string(sizes.dim) + "; it must be even");
  return std::make_unique<ModelTask<CharTagger, Sentence, optim::Adam>>(s.seed, spell_rare_words(data), adam, sizes);
}

}  // namespace espalier::app::bench
