// lm: a language model, one LSTM and a softmax over the whole vocabulary, as DyNet's benchmark rnnlm-batch.
#include <algorithm>
#include <numeric>

#include <espalier/data/text.h>
#include <espalier/data/vocabulary.h>
#include "bench/task.h"
#include "bench/tasks/file.h"
#include "bench/tasks/lstm_flops.h"

namespace espalier::app::bench {
namespace {

using data::text::Sentence;

constexpr int default_dim = 128, default_hidden = 256, default_vocabulary = 10'000;
constexpr int edge = 0, unknown = 1, first_word = 2;  // <s> before and after a sentence; <unk>
constexpr size_t sentences = 12'544;                  // generated

struct LanguageModel {
  int vocabulary, dim, hidden;
  nn::Embedding words;
  nn::LSTM lstm;
  Parameter W, b;
  Cell<Expr(Expr, Index)> loss;

  LanguageModel(Scope p, int v, int d, int h)
      : vocabulary(v),
        dim(d),
        hidden(h),
        words(p / "words", v, d, init::glorot()),
        lstm(p / "lstm", d, h),
        W(p.add("W", {v, h})),
        b(p.add("b", {v}, init::constant(0))),
        loss(p.cell("loss", {{h}, {}}, [&](Expr x, Index next) { return cross_entropy(linear(x, W, b), next); })) {}

  // Predicts every word from the words before it, then the end of the sentence.
  std::vector<Expr> losses(Graph& g, const Sentence& sentence) const {
    std::vector<Expr> all;
    all.reserve(tokens(sentence));
    nn::State s;
    int before = edge;
    for (const int w : sentence) {
      s = lstm(words(g, before), s);
      all.push_back(loss(s.h, w));
      before = w;
    }
    s = lstm(words(g, before), s);
    all.push_back(loss(s.h, edge));
    return all;
  }

  size_t tokens(const Sentence& sentence) const { return sentence.size() + 1; }
  double product_flops(const Sentence& sentence) const {
    const auto n = static_cast<double>(tokens(sentence));
    return lstm_flops(dim, hidden, n) + n * 2 * vocabulary * hidden;
  }
};

// Minibatches of sentences of similar length, in shuffled order.
class LanguageModelTask : public ModelTask<LanguageModel, Sentence, optim::Adam> {
 public:
  using ModelTask::ModelTask;

  std::vector<Minibatch> epoch(size_t batch, uint64_t seed, uint64_t number) const override {
    std::vector<uint64_t> ids(examples_.size());
    std::iota(ids.begin(), ids.end(), uint64_t{0});
    std::sort(ids.begin(), ids.end(), [&](uint64_t x, uint64_t y) {
      const size_t nx = examples_[x].size(), ny = examples_[y].size();
      return nx != ny ? nx < ny : x < y;
    });
    const size_t size = std::min(batch, ids.size());
    std::vector<Minibatch> all;
    for (const Minibatch& one : train::minibatches(ids.size() / size, 1, seed, number)) {
      const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(one.ids[0] * size);
      all.push_back({{begin, begin + static_cast<std::ptrdiff_t>(size)}, number});
    }
    return all;
  }
};

// Keeps the most frequent words; all others become <unk>.
void limit_vocabulary(std::vector<Sentence>& all, const data::Vocabulary& words, int vocabulary) {
  std::vector<int> number(static_cast<size_t>(words.size()), unknown);
  int next = first_word;
  for (const int w : words.by_count())
    if (next < vocabulary) number[static_cast<size_t>(w)] = next++;
  for (Sentence& sentence : all)
    for (int& w : sentence) w = number[static_cast<size_t>(w)];
}

}  // namespace

std::unique_ptr<Task> lm(const Sizes& s) {
  data::Vocabulary words;
  std::vector<Sentence> examples;
  if (s.data.empty()) {
    examples = data::text::generate(sentences, s.seed, words);
  } else {
    std::ifstream file = open(s.data);
    examples = data::text::read(file, words);
  }
  const int vocabulary = s.vocab > 0 ? s.vocab : default_vocabulary;
  limit_vocabulary(examples, words, vocabulary);
  return std::make_unique<LanguageModelTask>(s.seed, std::move(examples), adam, vocabulary,
                                             s.dim > 0 ? s.dim : default_dim, s.hidden > 0 ? s.hidden : default_hidden);
}

}  // namespace espalier::app::bench
