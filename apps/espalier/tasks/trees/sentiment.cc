// sentiment: the Stanford Sentiment Treebank, five classes or two, with GloVe vectors.
#include <cmath>
#include <optional>

#include <espalier/data/pack.h>
#include <espalier/data/sentiment.h>
#include <espalier/data/vocabulary.h>
#include <espalier/espalier.h>

#include "models/tree_sentiment.h"
#include "task/classifier_task.h"
#include "tasks/kinds.h"
#include "tasks/trees/tree_nodes.h"
#include "tasks/words/known_words.h"
#include "tasks/words/spelling.h"
#include "tasks/words/word_vectors.h"

namespace espalier::app {
namespace {

using data::sentiment::Tree;
using models::TreeSentiment;

constexpr int neutral = 2;
const std::vector<std::string> five{"very negative", "negative", "neutral", "positive", "very positive"};

class Sentiment : public ClassifierTask<Tree> {
 public:
  Sentiment() {
    training.epochs = 24;
    training.batch = 50;
    training.optimizer = "adagrad";
    training.lr = 0.05;
    training.patience = 8;
  }

  void settings(Fields& f) override {
    f.add("model", node_, {"tree-lstm", "tree-rnn", "rntn"}, "Architecture of tree nodes");
    f.add("classes", classes_, {"5", "2"}, "5, or 2: negative and positive, without neutral");
    f.add("hidden", hidden_, 1, "Hidden units of a tree node");
    f.add("dim", dim_, 1, "Word embedding size; with word vectors, their size is used");
    f.add("vectors", vectors_, {},
          "Word vectors: a file in the data folder, or several to try, separated by |; none: learned from scratch");
    f.add("word-lr", word_lr_, {0, 1},
          "Learning rate of word embeddings if word vectors are used, as a factor of --lr");
    f.add("word-dropout", word_dropout_, {0, 0.99}, "Dropout on word embeddings");
    f.add("node-dropout", node_dropout_, {0, 0.99}, "Dropout inside a tree node");
    f.add("out-dropout", out_dropout_, {0, 0.99}, "Dropout on the states given to the classifier");
  }

  // ---- data

  void read() override {
    data::Vocabulary met;
    train_ = data::sentiment::read(data_file(data, "sst/train.txt"), met);
    add_plain_words(words_, met);
    if (vectors_ != "none") dim_ = word_vectors_.read(data, vectors_, words_);
    prepare(train_, met);
    read_dev();
  }
  void read_dev() override { read_dev(data_file(data, "sst/dev.txt")); }
  void read_dev(const std::string& path) override {
    data::Vocabulary met;
    dev_ = data::sentiment::read(path, met);
    prepare(dev_, met);
  }
  void save(io::Meta& meta) const override { meta["words"] = data::pack(words_); }
  void restore(const io::Meta& meta) override { words_ = data::unpack_vocabulary(meta.at("words")); }

  // ---- model

  void build(Scope p) override {
    model_.emplace(p, TreeSentiment::Options{.node = tree_nodes.at(node_),
                                             .words = words_.size() + 1,
                                             .dim = dim_,
                                             .hidden = hidden_,
                                             .labels = static_cast<int>(labels().size()),
                                             .word_dropout = static_cast<float>(word_dropout_),
                                             .node_dropout = static_cast<float>(node_dropout_),
                                             .out_dropout = static_cast<float>(out_dropout_)});
  }
  void initialise() override { word_vectors_.fill(model_->encode.tokens, words_); }
  void tune(optim::Optimizer& optimizer) override {
    if (vectors_ != "none") optimizer.group("words", static_cast<float>(word_lr_));
  }

  // ---- training and evaluation

  Evaluation evaluate(Engine& engine) override {
    Confusion confusion(labels().size());
    train::Mean binary;
    infer(
        engine, dev_, [&](Graph& g, const Tree& tree) { return scores(g, tree); },
        [&](const Tree& tree, const Tensor& found) {
          confusion.add(class_of(tree), argmax(found.data));
          const int given = tree.nodes.back().label;
          if (given != neutral) binary.add(is_positive(found.data) == (given > neutral));
        });
    Evaluation e{{{"accuracy", confusion.accuracy()}}, labels(), confusion.counts()};
    if (classes_ == "5") e.scores.emplace_back("binary", binary.get());
    return e;
  }

 protected:
  Expr scores(Graph& g, const Tree& tree) const override { return (*model_)(g, tree); }
  int class_of(const Tree& tree) const override { return *label(tree.nodes.back().label); }
  std::vector<std::string> labels() const override { return classes_ == "2" ? std::vector{five[1], five[3]} : five; }
  std::vector<Expr> losses(Graph& g, const Tree& tree) const override {
    std::vector<int> labels_of_nodes;
    labels_of_nodes.reserve(tree.nodes.size());
    for (const Tree::Node& n : tree.nodes) labels_of_nodes.push_back(label(n.label).value_or(-1));
    return model_->losses(g, tree, labels_of_nodes);
  }
  uint32_t size(const Tree& tree) const override { return static_cast<uint32_t>(tree.nodes.size()); }

  Tree parse(const std::string& line) const override {
    data::Vocabulary met;
    std::vector<Tree> trees{data::sentiment::parse(line, met, "line")};
    number_words(trees, met);
    return std::move(trees.front());
  }

 private:
  // The class of a treebank label; nullopt: neutral, which is not a class of the binary task.
  std::optional<int> label(int given) const {
    if (classes_ == "5") return given;
    if (given == neutral) return {};
    return given > neutral;
  }
  bool is_positive(const std::vector<float>& scores) const {
    if (classes_ == "2") return scores[1] > scores[0];
    const auto share = [&](size_t a, size_t b) { return std::exp(scores[a]) + std::exp(scores[b]); };
    return share(3, 4) > share(0, 1);
  }

  // A word that is in neither the training set nor the vectors maps to the last row of the table.
  void number_words(std::vector<Tree>& trees, const data::Vocabulary& met) const {
    for (Tree& tree : trees)
      for (Tree::Node& node : tree.nodes)
        if (node.is_leaf()) node.word = number_of(words_, plain_word(met.word(node.word)));
  }
  // Removes trees without a class, and renumbers words.
  void prepare(std::vector<Tree>& trees, const data::Vocabulary& met) const {
    std::erase_if(trees, [&](const Tree& tree) { return !label(tree.nodes.back().label); });
    number_words(trees, met);
  }

  std::string node_ = "tree-lstm", classes_ = "5", vectors_ = "glove/glove.6B.300d.sst.txt.gz|glove/glove.6B.300d.txt";
  int hidden_ = 300, dim_ = 300;
  double word_lr_ = 0.1, word_dropout_ = 0.3, node_dropout_ = 0.4, out_dropout_ = 0.3;
  data::Vocabulary words_;
  WordVectors word_vectors_;
  std::optional<TreeSentiment> model_;
};

}  // namespace

TaskKind sentiment_kind() {
  return {.name = "sentiment",
          .what = "Sentiment of sentences and their phrases: Tree-LSTM, TreeRNN or RNTN",
          .paper = "Tai et al. 2015; Socher et al. 2011, 2013; Looks et al. 2017",
          .data = "sst/train.txt, sst/dev.txt, glove/glove.6B.300d.sst.txt.gz or glove.6B.300d.txt",
          .line = "a tree such as (3 (2 It) (4 (2 's) (4 great)))",
          .metric = "accuracy",
          .higher_is_better = true,
          .published = "51.0 ± 0.5, binary 88.0 (Tai); 52.3, 89.4 (Fold); with larger vectors, on test",
          .make = make_task<Sentiment>};
}

}  // namespace espalier::app
