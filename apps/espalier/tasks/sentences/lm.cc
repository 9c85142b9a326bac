// lm: a word-level language model of the English Web Treebank.
#include <cmath>
#include <optional>

#include <espalier/data/pack.h>
#include <espalier/data/text.h>
#include <espalier/data/vocabulary.h>
#include <espalier/espalier.h>

#include "models/language_model.h"
#include "task/listed_task.h"
#include "tasks/kinds.h"
#include "tasks/words/known_words.h"
#include "tasks/words/tokens.h"

namespace espalier::app {
namespace {

using models::LanguageModel;

struct Line {
  LanguageModel::Sentence words;
  bool goes_on = false;  // generate a continuation
};

class LanguageModelTask : public ListedTask<Line> {
 public:
  LanguageModelTask() {
    training.epochs = 8;
    training.batch = 32;
    training.lr = 2e-3;
    training.schedule = "linear";
  }

  void settings(Fields& f) override {
    f.add("vocab", vocab_, 1, "Vocabulary size: the most frequent words; all others are one unknown word");
    f.add("dim", dim_, 1, "Word embedding size");
    f.add("hidden", hidden_, 1, "Hidden units of the LSTM");
    f.add("dropout", dropout_, {0, 0.99}, "Dropout on word embeddings and on the LSTM's output");
    f.add("longest", longest_, 1, "Maximum number of words of a continued line, including the given ones");
  }

  // ---- data: every 20th line is in the dev set

  void read() override {
    data::Vocabulary met, trained;
    const auto lines = data::text::read(data_file(data, "text/train.txt"), met);
    for (size_t i = 0; i < lines.size(); ++i)
      if (!is_dev(i))
        for (const int w : lines[i]) trained.add(met.word(w));
    for (const int w : trained.by_count())
      if (words_.size() < vocab_) words_.add(trained.word(w), trained.count(w));
    for (size_t i = 0; i < lines.size(); ++i) (is_dev(i) ? dev_ : train_).push_back(number(lines[i], met));
  }
  void read_dev() override {
    data::Vocabulary met;
    const auto lines = data::text::read(data_file(data, "text/train.txt"), met);
    dev_.clear();
    for (size_t i = 0; i < lines.size(); ++i)
      if (is_dev(i)) dev_.push_back(number(lines[i], met));
  }
  void read_dev(const std::string& path) override {
    data::Vocabulary met;
    dev_.clear();
    for (const auto& line : data::text::read(path, met)) dev_.push_back(number(line, met));
  }
  void save(io::Meta& meta) const override { meta["words"] = data::pack(words_); }
  void restore(const io::Meta& meta) override { words_ = data::unpack_vocabulary(meta.at("words"), "words"); }

  // ---- model

  void build(Scope p) override {  // 2: the unknown word and the sentence boundary follow the words
    model_.emplace(
        p, LanguageModel::Options{
               .words = words_.size() + 2, .dim = dim_, .hidden = hidden_, .dropout = static_cast<float>(dropout_)});
  }

  // ---- training and evaluation

  std::vector<Minibatch> epoch(uint64_t number) const override { return epoch_of_like_sizes(number); }

  Evaluation evaluate(Engine& engine) override {
    train::Mean loss;
    score_lines(engine, dev_, [&](const Line& line, double sum) {
      const auto n = static_cast<double>(line.words.size() + 1);
      loss.add(sum / n, n);
    });
    return {{{"perplexity", std::exp(loss.get())}}};
  }

 protected:
  std::vector<Expr> losses(Graph& g, const Line& line) const override { return model_->losses(g, line.words); }
  uint32_t size(const Line& line) const override { return static_cast<uint32_t>(line.words.size() + 1); }

  Line parse(const std::string& text) const override {
    std::vector<std::string_view> words = tokens(text);
    const bool goes_on = words.back() == "…" || words.back() == "...";
    if (goes_on) words.pop_back();
    Line line{{}, goes_on};
    for (const std::string_view word : words) line.words.push_back(number_of(words_, word));
    return line;
  }

  std::vector<Json> answer(Engine& engine, std::span<const Line> lines) override {
    std::vector<Json> found;
    score_lines(engine, lines, [&](const Line& line, double sum) {
      found.push_back(
          {{"log_probability", -sum}, {"perplexity", std::exp(sum / static_cast<double>(line.words.size() + 1))}});
    });
    size_t i = 0;
    infer(
        engine, lines,
        [&](Graph& g, const Line& line) {
          return model_->go_on(g, line.words, line.goes_on ? static_cast<size_t>(longest_) : 0);
        },
        [&](const Line& line, const LanguageModel::Sentence& sentence) {
          if (line.goes_on) found[i] = {{"text", text(sentence)}};
          ++i;
        });
    return found;
  }

 private:
  static bool is_dev(size_t line) { return line % 20 == 19; }

  // Calls each(line, sum of its losses).
  template <class Each>
  void score_lines(Engine& engine, std::span<const Line> lines, Each each) const {
    infer(
        engine, lines, [&](Graph& g, const Line& line) { return sum(model_->losses(g, line.words)); },
        [&](const Line& line, const Tensor& total) { each(line, static_cast<double>(total[0])); });
  }
  Line number(const data::text::Sentence& given, const data::Vocabulary& met) const {
    Line line;
    for (const int w : given) line.words.push_back(number_of(words_, met.word(w)));
    return line;
  }
  std::string text(const LanguageModel::Sentence& sentence) const {
    std::string all;
    for (const int w : sentence) all += (all.empty() ? "" : " ") + (w < words_.size() ? words_.word(w) : "<unk>");
    return all;
  }

  int vocab_ = 10'000, dim_ = 200, hidden_ = 256, longest_ = 40;
  double dropout_ = 0.4;
  data::Vocabulary words_;
  std::optional<LanguageModel> model_;
};

}  // namespace

TaskKind lm_kind() {
  return {.name = "lm",
          .what = "The next word of a sentence: an LSTM with a softmax over all words",
          .paper = "Mikolov et al. 2010; Zaremba et al. 2014",
          .data = "text/train.txt",
          .line = "words separated by spaces; a final … asks for a continuation",
          .metric = "perplexity",
          .higher_is_better = false,
          .published = "",
          .make = make_task<LanguageModelTask>};
}

}  // namespace espalier::app
