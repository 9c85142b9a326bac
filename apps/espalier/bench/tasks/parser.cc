// parser: arc-hybrid transitions over a BiLSTM, as in section 4 of the paper on DyNet's batching (Neubig et al. 2017),
// with the sizes of Kiperwasser and Goldberg 2016. Training uses the gold transitions; inference is greedy, with one
// coroutine per sentence.
#include <espalier/data/conllu.h>
#include <espalier/data/text.h>
#include <espalier/data/vocabulary.h>

#include "base/random.h"
#include "bench/task.h"
#include "bench/tasks/lstm_flops.h"
#include "models/transition_parser.h"

namespace espalier::app::bench {
namespace {

using models::ArcHybrid;
using models::TransitionParser;
using Sentence = TransitionParser::Sentence;

constexpr int default_dim = 100, tag_dim = 25, default_hidden = 125, layer = 100, layers = 2;
constexpr size_t generated_sentences = 12'544;
constexpr int generated_tags = 17, generated_labels = 45;  // as in the English Web Treebank

struct ParserModel {
  TransitionParser parser;
  ParserModel(Scope p, const TransitionParser::Options& options) : parser(p, options) {}

  espalier::Task<std::vector<Expr>> losses(Graph& g, const Sentence& sentence) const {
    if (g.mode() == Mode::train) co_return parser.losses(g, sentence);
    co_await parser.parse(g, sentence);
    co_return std::vector<Expr>();
  }

  size_t tokens(const Sentence& sentence) const { return sentence.words.size(); }
  double product_flops(const Sentence& sentence) const {
    const TransitionParser::Options& o = parser.options;
    const auto n = static_cast<double>(tokens(sentence)), moves = 2 * n;
    return 2 * lstm_flops(o.word_dim + o.tag_dim, o.hidden, n + 1) +
           2 * (o.layers - 1) * lstm_flops(2 * o.hidden, o.hidden, n + 1) +
           moves * 2 * o.layer * (4.0 * 2 * o.hidden + 1 + 2 * o.labels);
  }
};

struct Treebank {
  std::vector<Sentence> sentences;
  int words = 0, tags = 0, labels = 0;
};

// Random sentences with trees from random transitions.
Treebank generate(uint64_t seed) {
  data::Vocabulary words;
  Treebank made;
  uint64_t draws = 0;
  const auto below = [&](uint64_t n) { return static_cast<int>(mix(seed, ++draws) % n); };
  for (const data::text::Sentence& text : data::text::generate(generated_sentences, seed, words)) {
    Sentence& sentence = made.sentences.emplace_back();
    for (const int w : text) {
      sentence.words.push_back({w, static_cast<int>(mix(static_cast<uint64_t>(w)) % generated_tags)});
      sentence.tree.labels.push_back(below(generated_labels));
    }
    ArcHybrid state(static_cast<int>(text.size()));
    while (!state.done())
      if (const auto move = static_cast<ArcHybrid::Move>(below(3)); state.can(move)) state.apply(move);
    sentence.tree.heads = state.heads();
  }
  made.words = words.size();
  made.tags = generated_tags;
  made.labels = generated_labels;
  return made;
}

Treebank read(const std::string& path) {
  data::Vocabulary words, tags, labels;
  Treebank found;
  for (const data::conllu::Sentence& given : data::conllu::read(path)) {
    Sentence& sentence = found.sentences.emplace_back();
    for (const data::conllu::Word& w : given) {
      sentence.words.push_back({words.add(w.form), tags.add(w.upos)});
      sentence.tree.heads.push_back(w.head == 0 ? static_cast<int>(given.size()) : w.head - 1);
      sentence.tree.labels.push_back(labels.add(w.deprel));
    }
  }
  found.words = words.size();
  found.tags = tags.size();
  found.labels = labels.size();
  return found;
}

}  // namespace

std::unique_ptr<Task> parser(const Sizes& s) {
  Treebank treebank = s.data.empty() ? generate(s.seed) : read(s.data);
  return std::make_unique<ModelTask<ParserModel, Sentence, optim::Adam>>(
      s.seed, std::move(treebank.sentences), adam,
      TransitionParser::Options{.words = treebank.words,
                                .tags = treebank.tags,
                                .labels = treebank.labels,
                                .word_dim = s.dim > 0 ? s.dim : default_dim,
                                .tag_dim = tag_dim,
                                .hidden = s.hidden > 0 ? s.hidden : default_hidden,
                                .layers = layers,
                                .layer = layer});
}

}  // namespace espalier::app::bench
