// Sequences: predicts a target per text, or a tag per word.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <espalier/data/vocabulary.h>

#include "models/tagger.h"
#include "models/text_classifier.h"
#include "task/targets/target_task.h"
#include "tasks/sequences/sequence_file.h"
#include "tasks/words/word_vectors.h"

namespace espalier::app {

struct Sequence {
  RawSequence given;                    // words are dropped once they are numbered
  models::Tagger::Sentence sentence{};  // for tags
  std::vector<int> text{};              // for a target per text
  TargetValues target{};
};

class Sequences : public TargetTask<Sequence> {
 public:
  // The defaults of a data set with tags.
  struct TaggedPreset {
    std::string train, dev, vectors;
    bool letters;
  };
  Sequences();
  explicit Sequences(const TaggedPreset& preset);

  void settings(Fields& f) override;
  std::vector<std::string> summary() const override;
  void save(io::Meta& meta) const override;
  void restore(const io::Meta& meta) override;
  void build(Scope p) override;
  void initialise() override;
  void tune(optim::Optimizer& optimizer) override;
  std::optional<Metric> metric() const override;
  PredictInput predict_input() const override;
  std::vector<Minibatch> epoch(uint64_t number) const override { return epoch_of_like_sizes(number); }
  Evaluation evaluate(Engine& engine) override;

 protected:
  std::vector<Sequence> read_file(const std::string& path) override;
  bool has_targets() const override { return !has_tags(*format_); }
  void learn() override;
  void prepare(std::vector<Sequence>& examples) const override;
  Expr outputs(Graph& g, const Sequence& x) const override { return (*classifier_)(g, x.text); }
  std::vector<Expr> losses(Graph& g, const Sequence& x) const override;
  uint32_t size(const Sequence& x) const override;
  Sequence parse(const std::string& line) const override;
  std::vector<Json> answer(Engine& engine, std::span<const Sequence> sequences) override;

 private:
  int hidden() const;
  void number_words(Sequence& x) const;
  models::Tagger::Word tagger_word(const std::string& word) const;
  std::vector<std::string> tag_names(const std::vector<int>& tags) const;
  template <class Each>
  void tag_all(Engine& engine, std::span<const Sequence> sequences, Each each) const;

  std::string text_, target_, vectors_ = "none", model_name_ = "bilstm", format_name_ = "auto", columns_;
  int dim_ = 100, shape_dim_ = 10, letter_dim_ = 25, filters_ = 50, hidden_ = 0, max_words_ = 500;
  double word_lr_ = 0.3, unknown_ = 0.5, word_dropout_ = 0.5, dropout_ = 0.4;
  bool letters_ = true;

  std::optional<SequenceFormat> format_;   // after read() or restore()
  std::optional<TagColumns> tag_columns_;  // after read() of a conll file, or restore()
  size_t words_seen_ = 0;                  // in train
  data::Vocabulary words_, tags_;
  WordVectors word_vectors_;
  std::optional<models::TextClassifier> classifier_;
  std::optional<models::Tagger> tagger_;
};

}  // namespace espalier::app
