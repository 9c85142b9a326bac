// tagger: a BiLSTM tagger over word embeddings, as in DyNet's benchmark bilstm-tagger.
#include "bench/tasks/tagger.h"
#include <espalier/data/tagged.h>

#include "bench/tasks/tagged_data.h"

namespace espalier::app::bench {
namespace {

using data::tagged::Sentence;
using data::tagged::Token;

struct WordTagger {
  Tagger tagger;
  WordTagger(Scope p, const TaggerSizes& sizes) : tagger(p, sizes) {}

  std::vector<Expr> losses(Graph& g, const Sentence& sentence) const {
    std::vector<Expr> xs;
    xs.reserve(sentence.size());
    for (const Token& token : sentence) xs.push_back(tagger.words(g, token.word));
    return tagger.losses(xs, sentence);
  }

  size_t tokens(const Sentence& sentence) const { return sentence.size(); }
  double product_flops(const Sentence& sentence) const {
    return tagger.product_flops(static_cast<double>(sentence.size()));
  }
};

// Maps all rare words to one word, the last, and renumbers the others. Returns the number of words.
int merge_rare_words(TaggedData& data) {
  int common = 0;
  std::vector<int> number(static_cast<size_t>(data.words.size()));
  for (int w = 0; w < data.words.size(); ++w) number[static_cast<size_t>(w)] = data.is_rare(w) ? -1 : common++;
  for (Sentence& sentence : data.sentences)
    for (Token& token : sentence) {
      const int n = number[static_cast<size_t>(token.word)];
      token.word = n < 0 ? common : n;
    }
  return common + 1;
}

}  // namespace

std::unique_ptr<Task> tagger(const Sizes& s) {
  TaggedData data(s);
  const int words = merge_rare_words(data);
  return std::make_unique<ModelTask<WordTagger, Sentence, optim::Adam>>(s.seed, std::move(data.sentences), adam,
                                                                        tagger_sizes(s, words, data.tags.size()));
}

}  // namespace espalier::app::bench
