// parser: dependency parsing of the English Web Treebank, with gold tags as input.
#include <optional>

#include <espalier/data/conllu.h>
#include <espalier/data/pack.h>
#include <espalier/data/vocabulary.h>
#include <espalier/espalier.h>
#include <espalier/text/lines.h>

#include "models/transition_parser.h"
#include "task/listed_task.h"
#include "tasks/kinds.h"
#include "tasks/words/known_words.h"
#include "tasks/words/spelling.h"
#include "tasks/words/tokens.h"

namespace espalier::app {
namespace {

using data::conllu::Word;
using models::TransitionParser;

class Parser : public ListedTask<TransitionParser::Sentence> {
 public:
  using Sentence = TransitionParser::Sentence;

  Parser() {
    training.epochs = 12;
    training.batch = 32;
    training.lr = 2e-3;
    training.schedule = "linear";
  }

  void settings(Fields& f) override {
    f.add("oracle", oracle_, {"static", "dynamic"},
          "static: train on the transitions of the gold tree; dynamic: also on the best ones after own mistakes");
    f.add("explore", explore_, {0, 1},
          "Probability that the dynamic oracle follows the parser's choice, from the second epoch on");
    f.add("tags", tags_read_, {"upos", "xpos", "both"}, "Part-of-speech tags used as input");
    f.add("word-dim", word_dim_, 1, "Word embedding size");
    f.add("tag-dim", tag_dim_, 1, "Tag embedding size");
    f.add("hidden", hidden_, 1, "Hidden units of an LSTM, per direction");
    f.add("layers", layers_, 1, "Number of BiLSTM layers");
    f.add("layer", layer_, 1, "Hidden units of the layer that scores transitions");
    f.add("unknown", unknown_, {},
          "In training, replace a word seen n times by unknown with probability unknown / (unknown + n)");
    f.add("word-dropout", word_dropout_, {0, 0.99}, "Dropout on word and tag embeddings");
    f.add("dropout", dropout_, {0, 0.99}, "Dropout on the BiLSTM's output");
  }

  // ---- data

  void read() override {
    const auto given = read_trees(data_file(data, "ud_english_ewt/en_ewt-ud-train.conllu.gz"));
    for (const auto& sentence : given)
      for (const Word& w : sentence) {
        words_.add(plain_word(w.form));
        tags_.add(tag(w));
        labels_.add(w.deprel);
      }
    for (const auto& sentence : given) train_.push_back(number(sentence));
    read_dev();
  }
  void read_dev() override { read_dev(data_file(data, "ud_english_ewt/en_ewt-ud-dev.conllu")); }
  void read_dev(const std::string& path) override {
    dev_.clear();
    for (const auto& sentence : read_trees(path)) dev_.push_back(number(sentence));
  }
  void save(io::Meta& meta) const override {
    meta["words"] = data::pack(words_);
    meta["tags"] = data::pack(tags_);
    meta["labels"] = data::pack(labels_);
  }
  void restore(const io::Meta& meta) override {
    words_ = data::unpack_vocabulary(meta.at("words"), "words");
    tags_ = data::unpack_vocabulary(meta.at("tags"), "tags");
    labels_ = data::unpack_vocabulary(meta.at("labels"), "labels");
  }

  // ---- model

  void build(Scope p) override {
    model_.emplace(p, TransitionParser::Options{.words = words_.size() + 1,
                                                .tags = tags_.size() + 1,
                                                .labels = labels_.size(),
                                                .word_dim = word_dim_,
                                                .tag_dim = tag_dim_,
                                                .hidden = hidden_,
                                                .layers = layers_,
                                                .layer = layer_,
                                                .word_dropout = static_cast<float>(word_dropout_),
                                                .dropout = static_cast<float>(dropout_),
                                                .rare = rare_words(words_, unknown_)});
  }

  // ---- training and evaluation

  std::vector<Minibatch> epoch(uint64_t number) const override { return epoch_of_like_sizes(number); }

  Batch<std::vector<Expr>> record(Engine& engine, const Minibatch& minibatch) override {
    if (oracle_ == "static") return ListedTask::record(engine, minibatch);
    const std::vector<uint32_t> of_each = sizes(minibatch);
    const float explore = minibatch.epoch == 0 ? 0 : static_cast<float>(explore_);
    return engine.record(minibatch, [&](Graph& g, uint64_t id) { return model_->explore(g, train_[id], explore); },
                         {.sizes = of_each});
  }
  Losses losses_by_id() const override { return oracle_ == "static" ? ListedTask::losses_by_id() : nullptr; }

  Evaluation evaluate(Engine& engine) override {
    train::Mean uas, las, plain_uas, plain_las;
    const int punct = labels_.find("punct");
    parse_all(engine, dev_, [&](const Sentence& sentence, const TransitionParser::Tree& found) {
      const auto& [heads, labels] = sentence.tree;
      for (size_t i = 0; i < heads.size(); ++i) {
        const bool head = found.heads[i] == heads[i], both = head && found.labels[i] == labels[i];
        uas.add(head), las.add(both);
        if (labels[i] != punct) plain_uas.add(head), plain_las.add(both);
      }
    });
    return {{{"LAS", las.get()},
             {"UAS", uas.get()},
             {"LAS without punctuation", plain_las.get()},
             {"UAS without punctuation", plain_uas.get()}}};
  }

 protected:
  std::vector<Expr> losses(Graph& g, const Sentence& sentence) const override { return model_->losses(g, sentence); }
  uint32_t size(const Sentence& sentence) const override { return static_cast<uint32_t>(sentence.words.size()); }

  Sentence parse(const std::string& line) const override {
    Sentence sentence;
    for (const auto& [word, tag] : tagged_tokens(line, tags_read_ == "both"))
      sentence.words.push_back({number_of(words_, plain_word(word)), number_of(tags_, tag)});
    return sentence;
  }

  std::vector<Json> answer(Engine& engine, std::span<const Sentence> sentences) override {
    std::vector<Json> found;
    parse_all(engine, sentences, [&](const Sentence&, const TransitionParser::Tree& tree) {
      Json heads = Json::array(), labels = Json::array();
      for (const int h : tree.heads) heads.push_back(h == static_cast<int>(tree.heads.size()) ? 0 : h + 1);
      for (const int l : tree.labels) labels.push_back(labels_.word(l));
      found.push_back({{"heads", std::move(heads)}, {"labels", std::move(labels)}});
    });
    return found;
  }

 private:
  // Rejects sentences without gold trees, which cannot be used for training or evaluation.
  static std::vector<data::conllu::Sentence> read_trees(const std::string& path) {
    std::vector<data::conllu::Sentence> all;
    data::Lines lines(path);
    for (data::conllu::Sentence sentence; data::conllu::next(lines, sentence);) {
      for (const Word& w : sentence)
        if (w.head < 0 || w.deprel == "_")
          lines.fail(1, "'" + w.form + "' of the sentence above needs a head and a relation");
      all.push_back(std::move(sentence));
    }
    return all;
  }

  template <class Each>
  void parse_all(Engine& engine, std::span<const Sentence> sentences, Each each) const {
    infer(engine, sentences, [&](Graph& g, const Sentence& sentence) { return model_->parse(g, sentence); }, each);
  }

  std::string tag(const Word& w) const {
    return tags_read_ == "upos" ? w.upos : tags_read_ == "xpos" ? w.xpos : w.upos + "|" + w.xpos;
  }
  // CoNLL-U counts heads from 1; 0 is the root.
  Sentence number(const data::conllu::Sentence& given) const {
    Sentence sentence;
    const int n = static_cast<int>(given.size());
    for (const Word& w : given) {
      sentence.words.push_back({number_of(words_, plain_word(w.form)), number_of(tags_, tag(w))});
      sentence.tree.heads.push_back(w.head == 0 ? n : w.head - 1);
      sentence.tree.labels.push_back(labels_.find(w.deprel));
    }
    return sentence;
  }

  std::string oracle_ = "static", tags_read_ = "both";
  int word_dim_ = 100, tag_dim_ = 50, hidden_ = 125, layers_ = 2, layer_ = 100;
  double explore_ = 0.9, unknown_ = 0.25, word_dropout_ = 0.3, dropout_ = 0.3;
  data::Vocabulary words_, tags_, labels_;
  std::optional<TransitionParser> model_;
};

}  // namespace

TaskKind parser_kind() {
  return {.name = "parser",
          .what = "Dependency parsing with gold tags: arc-hybrid transitions over a BiLSTM",
          .paper = "Kiperwasser and Goldberg 2016; Kuhlmann et al. 2011; Goldberg and Nivre 2013",
          .data = "ud_english_ewt/en_ewt-ud-train.conllu.gz, ud_english_ewt/en_ewt-ud-dev.conllu",
          .line = "word|tags separated by spaces, such as It|PRON|PRP works|VERB|VBZ .|PUNCT|.",
          .metric = "LAS",
          .higher_is_better = true,
          .published = "UAS 88-90 for comparable systems, on test",
          .make = make_task<Parser>};
}

}  // namespace espalier::app
