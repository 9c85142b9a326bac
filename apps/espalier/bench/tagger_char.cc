// tagger-char: the tagger, but a rare word is read letter by letter, from both ends; as DyNet's bilstm-tagger-withchar.
#include <string>

#include "bench/tagged_data.h"
#include "bench/tagger.h"

namespace espalier::app::bench {
namespace {

constexpr int char_dim = 20, edge = 256, chars = 257;  // bytes, and <*> before and after a word

struct Token {
  int word = -1, tag = 0;  // word -1: rare, and spelled
  std::string letters;
};
using Sentence = std::vector<Token>;

struct CharTagger {
  using Gates = Tagger::Gates;

  Tagger tagger;
  Lookup char_rows;
  Recurrence from_left, from_right;  // half of a word's row each
  Cell<Gates(Index)> letter;
  Cell<Gates(Expr, Expr)> rare_word;

  CharTagger(Scope p, const TaggerSizes& s)
      : tagger(p, s),
        char_rows(p.add_lookup("chars", chars, {char_dim}, init::glorot())),
        from_left(p / "from_left", char_dim, s.dim / 2),
        from_right(p / "from_right", char_dim, s.dim / 2),
        letter(p.cell("letter", {{}},
                      [&](Index c) -> Gates {
                        const Expr x = lookup(char_rows, c);
                        return {from_left.gates(x), from_right.gates(x)};
                      })),
        rare_word(p.cell("rare_word", {{s.dim / 2}, {s.dim / 2}},
                         [&](Expr l, Expr r) { return tagger.gates(concat(l, r)); })) {}

  Gates read(Graph& g, const std::string& letters) const {
    std::vector<Gates> xs;
    xs.reserve(letters.size() + 2);
    xs.push_back(letter(g, edge));
    for (const char c : letters) xs.push_back(letter(g, static_cast<unsigned char>(c)));
    xs.push_back(letter(g, edge));
    nn::State l, r;
    for (size_t i = 0; i < xs.size(); ++i) {
      l = from_left(xs[i].forward, l);
      r = from_right(xs[xs.size() - 1 - i].backward, r);
    }
    return rare_word(l.h, r.h);
  }

  std::vector<Expr> losses(Graph& g, const Sentence& sentence) const {
    std::vector<Gates> xs;
    xs.reserve(sentence.size());
    for (const Token& t : sentence) xs.push_back(t.word >= 0 ? tagger.word(g, t.word) : read(g, t.letters));
    return tagger.losses(xs, sentence);
  }

  size_t tokens(const Sentence& sentence) const { return sentence.size(); }
  double product_flops(const Sentence& sentence) const {
    double flops = tagger.product_flops(static_cast<double>(sentence.size()));
    for (const Token& t : sentence)
      if (t.word < 0)
        flops +=
            2 * Recurrence::product_flops(char_dim, tagger.sizes.dim / 2, static_cast<double>(t.letters.size()) + 2);
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
