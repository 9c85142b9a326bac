// tagger, tagger-char: named-entity recognition on WikiNER, from words, or from words and their characters.
#include <optional>

#include <espalier/data/pack.h>
#include <espalier/data/tagged.h>
#include <espalier/data/vocabulary.h>
#include <espalier/espalier.h>

#include "models/tagger.h"
#include "task/listed_task.h"
#include "tasks/kinds.h"
#include "tasks/metrics/spans.h"
#include "tasks/words/known_words.h"
#include "tasks/words/spelling.h"
#include "tasks/words/tokens.h"
#include "tasks/words/word_vectors.h"

namespace espalier::app {
namespace {

using models::Tagger;

constexpr int bytes = 256;

class TaggerTask : public ListedTask<Tagger::Sentence> {
 public:
  using Sentence = Tagger::Sentence;

  explicit TaggerTask(bool reads_letters) : reads_letters_(reads_letters) {
    training.epochs = 6;
    training.batch = 32;
    training.lr = 2e-3;
    training.schedule = "linear";
  }

  void settings(Fields& f) override {
    f.add("vectors", vectors_, {},
          "Word vectors: a file in the data folder, or several to try, separated by |; none: learned from scratch");
    f.add("word-lr", word_lr_, {0, 1},
          "Learning rate of word embeddings if word vectors are used, as a factor of --lr");
    f.add("dim", dim_, 1, "Word embedding size; with word vectors, their size is used");
    f.add("shape-dim", shape_dim_, 1, "Embedding size of the word shape: capitals, digits");
    if (reads_letters_) f.add("letter-dim", letter_dim_, 1, "Embedding size of a byte of the word");
    if (reads_letters_) f.add("filters", filters_, 1, "Number of character-level convolution filters");
    f.add("hidden", hidden_, 1, "Hidden units of the BiLSTM, per direction");
    f.add("unknown", unknown_, {},
          "In training, replace a word seen n times by unknown with probability unknown / (unknown + n)");
    f.add("word-dropout", word_dropout_, {0, 0.99}, "Dropout on word embeddings");
    f.add("dropout", dropout_, {0, 0.99}, "Dropout on the BiLSTM's output");
  }

  // ---- data

  void read() override {
    data::Vocabulary met;
    const auto given = data::tagged::read(data_file(data, "wikiner/train.txt"), met, tags_);
    add_plain_words(words_, met);
    if (vectors_ != "none") dim_ = word_vectors_.read(data, vectors_, words_);
    for (const auto& sentence : given) train_.push_back(number(sentence, met));
    read_dev();
  }
  void read_dev() override { read_dev(data_file(data, "wikiner/dev.txt")); }
  void read_dev(const std::string& path) override {
    data::Vocabulary met;
    dev_.clear();
    dev_tags_ = tags_;
    for (const auto& sentence : data::tagged::read(path, met, dev_tags_)) dev_.push_back(number(sentence, met));
  }
  void save(io::Meta& meta) const override {
    meta["words"] = data::pack(words_);
    meta["tags"] = data::pack(tags_);
  }
  void restore(const io::Meta& meta) override {
    words_ = data::unpack_vocabulary(meta.at("words"), "words");
    tags_ = data::unpack_vocabulary(meta.at("tags"), "tags");
  }

  // ---- model

  void build(Scope p) override {
    model_.emplace(p, Tagger::Options{.words = words_.size() + 1,
                                      .shapes = word_shapes,
                                      .letters = reads_letters_ ? bytes : 0,
                                      .tags = tags_.size(),
                                      .dim = dim_,
                                      .shape_dim = shape_dim_,
                                      .letter_dim = letter_dim_,
                                      .filters = filters_,
                                      .hidden = hidden_,
                                      .word_dropout = static_cast<float>(word_dropout_),
                                      .dropout = static_cast<float>(dropout_),
                                      .rare = rare_words(words_, unknown_)});
  }
  void initialise() override { word_vectors_.fill(model_->words, words_); }
  void tune(optim::Optimizer& optimizer) override {
    if (vectors_ != "none") optimizer.group("words", static_cast<float>(word_lr_));
  }

  // ---- training and evaluation

  std::vector<Minibatch> epoch(uint64_t number) const override { return epoch_of_like_sizes(number); }

  Evaluation evaluate(Engine& engine) override {
    Confusion confusion(static_cast<size_t>(tags_.size()));
    train::Mean right;
    SpanScore spans;
    tag_all(engine, dev_, [&](const Sentence& sentence, const std::vector<int>& found) {
      for (size_t i = 0; i < found.size(); ++i) {
        right.add(found[i] == sentence.tags[i]);
        if (sentence.tags[i] < tags_.size()) confusion.add(sentence.tags[i], found[i]);
      }
      spans.add(names(sentence.tags, dev_tags_), names(found, tags_));
    });
    return {{{"accuracy", right.get()}, {"F1", spans.f1()}}, all_names(), confusion.counts()};
  }

 protected:
  std::vector<Expr> losses(Graph& g, const Sentence& sentence) const override { return model_->losses(g, sentence); }
  uint32_t size(const Sentence& sentence) const override { return static_cast<uint32_t>(sentence.words.size()); }

  Sentence parse(const std::string& line) const override {
    Sentence sentence;
    for (const std::string_view word : tokens(line)) sentence.words.push_back(known(word));
    return sentence;
  }

  std::vector<Json> answer(Engine& engine, std::span<const Sentence> sentences) override {
    std::vector<Json> found;
    tag_all(engine, sentences,
            [&](const Sentence&, const std::vector<int>& tags) { found.push_back({{"tags", names(tags, tags_)}}); });
    return found;
  }

 private:
  // Calls each(sentence, best tag of every word).
  template <class Each>
  void tag_all(Engine& engine, std::span<const Sentence> sentences, Each each) const {
    infer(
        engine, sentences, [&](Graph& g, const Sentence& sentence) { return model_->all_scores(g, sentence); },
        [&](const Sentence& sentence, const std::vector<Tensor>& scores) {
          each(sentence, model_->chain.best(scores));
        });
  }

  Sentence number(const data::tagged::Sentence& given, const data::Vocabulary& met) const {
    Sentence sentence;
    for (const auto& [word, tag] : given) {
      sentence.words.push_back(known(met.word(word)));
      sentence.tags.push_back(tag);
    }
    return sentence;
  }
  Tagger::Word known(std::string_view word) const {
    Tagger::Word w{number_of(words_, plain_word(word)), word_shape(word)};
    if (reads_letters_)
      for (const char c : word) w.letters.push_back(static_cast<unsigned char>(c));
    return w;
  }
  static std::vector<std::string> names(const std::vector<int>& tags, const data::Vocabulary& known) {
    std::vector<std::string> found;
    for (const int t : tags) found.push_back(known.word(t));
    return found;
  }
  std::vector<std::string> all_names() const {
    std::vector<std::string> all;
    for (int t = 0; t < tags_.size(); ++t) all.push_back(tags_.word(t));
    return all;
  }

  bool reads_letters_;
  std::string vectors_ = "glove/glove.6B.300d.sst.txt.gz|glove/glove.6B.300d.txt";
  int dim_ = 100, shape_dim_ = 10, letter_dim_ = 25, filters_ = 50, hidden_ = 150;
  double word_lr_ = 0.3, unknown_ = 0.5, word_dropout_ = 0.3, dropout_ = 0.4;
  WordVectors word_vectors_;
  data::Vocabulary words_, tags_;
  data::Vocabulary dev_tags_;  // tags_, followed by tags that occur in dev only and are never predicted
  std::optional<Tagger> model_;
};

}  // namespace

TaskKind tagger_kind() {
  return {.name = "tagger",
          .what = "Named-entity recognition: BiLSTM tagger over words",
          .paper = "Huang et al. 2015; Collobert et al. 2011",
          .data = "wikiner/train.txt, wikiner/dev.txt, glove/glove.6B.300d.sst.txt.gz or glove.6B.300d.txt",
          .line = "words separated by spaces",
          .metric = "accuracy",
          .higher_is_better = true,
          .make = [] { return std::make_unique<TaggerTask>(false); }};
}

TaskKind tagger_char_kind() {
  TaskKind kind = tagger_kind();
  kind.name = "tagger-char";
  kind.what = "Named-entity recognition: BiLSTM tagger over words and their characters";
  kind.paper = "Ma and Hovy 2016";
  kind.make = [] { return std::make_unique<TaggerTask>(true); };
  return kind;
}

}  // namespace espalier::app
