// relatedness: semantic relatedness of sentence pairs (SICK).
#include <optional>

#include <espalier/data/pack.h>
#include <espalier/data/sick.h>
#include <espalier/data/vocabulary.h>

#include "models/relatedness.h"
#include "task/listed_task.h"
#include "tasks/kinds.h"
#include "tasks/metrics/correlation.h"
#include "tasks/words/known_words.h"
#include "tasks/words/spelling.h"
#include "tasks/words/word_vectors.h"

namespace espalier::app {
namespace {

using data::sick::Pair;

class Relatedness : public ListedTask<Pair> {
 public:
  Relatedness() {  // as in Tai et al., but with more epochs
    training.epochs = 20;
    training.patience = 5;
    training.batch = 25;
    training.optimizer = "adagrad";
    training.lr = 0.05;
    training.weight_decay = 1e-4;
  }

  void settings(Fields& f) override {
    f.add("hidden", hidden_, 1, "Hidden units of the Tree-LSTM");
    f.add("compared", compared_, 1, "Hidden units of the layer that compares two sentences");
    f.add("dim", dim_, 1, "Word embedding size; with word vectors, their size is used");
    f.add(
        "vectors", vectors_, {},
        "Word vectors: comma-separated files in the data folder, each or several to try, separated by |; none: learned "
        "from scratch");
    f.add("word-lr", word_lr_, {0, 1}, "Learning rate of word embeddings, as a factor of --lr; 0 freezes them");
    f.add("word-dropout", word_dropout_, {0, 0.99}, "Dropout on word embeddings");
    f.add("out-dropout", out_dropout_, {0, 0.99}, "Dropout on the comparison layer");
  }

  // ---- data

  void read() override {
    data::Vocabulary met;
    train_ = data::sick::read(data_file(data, "sick/train"), met);
    add_plain_words(words_, met);
    for (const std::string& file : vector_files()) dim_ = word_vectors_.read(data, file, words_);
    number_words(train_, met);
    read_dev();
  }
  void read_dev() override { read_dev(data_file(data, "sick/dev")); }
  void read_dev(const std::string& folder) override {
    data::Vocabulary met;
    dev_ = data::sick::read(folder, met);
    number_words(dev_, met);
  }
  void save(io::Meta& meta) const override { meta["words"] = data::pack(words_); }
  void restore(const io::Meta& meta) override { words_ = data::unpack_vocabulary(meta.at("words")); }

  // ---- model

  void build(Scope p) override {
    model_.emplace(p, models::Relatedness::Options{.words = words_.size() + 1,
                                                   .dim = dim_,
                                                   .hidden = hidden_,
                                                   .compared = compared_,
                                                   .word_dropout = static_cast<float>(word_dropout_),
                                                   .out_dropout = static_cast<float>(out_dropout_)});
    if (vectors_ != "none" && word_lr_ == 0) model_->words.freeze();
  }
  void initialise() override { word_vectors_.fill(model_->words, words_); }
  void tune(optim::Optimizer& optimizer) override {
    if (vectors_ != "none") optimizer.group("words", static_cast<float>(word_lr_));
  }

  // ---- evaluation

  Evaluation evaluate(Engine& engine) override {
    Evaluation e;
    e.unit = "relatedness";
    infer(
        engine, dev_, [&](Graph& g, const Pair& pair) { return shares(g, pair); },
        [&](const Pair& pair, const Tensor& found) {
          e.gold.push_back(static_cast<float>(pair.similarity));
          e.predicted.push_back(models::Relatedness::score(found.values()));
        });
    e.scores = {{"pearson", pearson(e.gold, e.predicted)},
                {"spearman", spearman(e.gold, e.predicted)},
                {"mse", mean_squared_error(e.gold, e.predicted)}};
    return e;
  }

 protected:
  std::vector<Expr> losses(Graph& g, const Pair& pair) const override {
    return {model_->loss(model_->meaning(g, pair.a), model_->meaning(g, pair.b), static_cast<float>(pair.similarity))};
  }
  uint32_t size(const Pair& pair) const override {
    return static_cast<uint32_t>(pair.a.nodes.size() + pair.b.nodes.size());
  }

  Pair parse(const std::string& line) const override {
    data::Vocabulary met;
    std::vector<Pair> pair{data::sick::parse(line, met, "line")};
    number_words(pair, met);
    return std::move(pair.front());
  }

  std::vector<Json> answer(Engine& engine, std::span<const Pair> pairs) override {
    std::vector<Json> found;
    infer(
        engine, pairs, [&](Graph& g, const Pair& pair) { return shares(g, pair); },
        [&](const Pair&, const Tensor& t) {
          Json of_each = Json::object();  // probabilities of the scores 1 … 5
          for (size_t i = 0; i < t.size(); ++i) of_each[std::to_string(i + 1)] = t[i];
          found.push_back({{"relatedness", models::Relatedness::score(t.values())}, {"probabilities", of_each}});
        });
    return found;
  }

 private:
  Expr shares(Graph& g, const Pair& pair) const {
    return model_->shares(model_->meaning(g, pair.a), model_->meaning(g, pair.b));
  }

  std::vector<std::string> vector_files() const {
    std::vector<std::string> files;
    if (vectors_ == "none") return files;
    for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = vectors_.find(',', begin);
      files.push_back(vectors_.substr(begin, end - begin));
    }
    return files;
  }

  // A word that is in neither the training set nor the vectors maps to the last row of the table.
  void number_words(std::vector<Pair>& pairs, const data::Vocabulary& met) const {
    for (Pair& pair : pairs)
      for (data::sick::Tree* tree : {&pair.a, &pair.b})
        for (data::sick::Tree::Node& node : tree->nodes) node.word = number_of(words_, plain_word(met.word(node.word)));
  }

  std::string vectors_ =
      "glove/glove.6B.300d.sst.txt.gz|glove/glove.6B.300d.txt,"
      "glove/glove.6B.300d.sick.txt.gz|glove/glove.6B.300d.txt";
  int hidden_ = 150, compared_ = 50, dim_ = 300;
  double word_lr_ = 0, word_dropout_ = 0, out_dropout_ = 0;
  data::Vocabulary words_;
  WordVectors word_vectors_;
  std::optional<models::Relatedness> model_;
};

}  // namespace

TaskKind relatedness_kind() {
  return {.name = "relatedness",
          .what = "Semantic relatedness of two sentences, 1 to 5: Child-Sum Tree-LSTM over dependency trees",
          .paper = "Tai et al. 2015",
          .data =
              "sick/train, sick/dev, glove/glove.6B.300d.sst.txt.gz and glove.6B.300d.sick.txt.gz, or "
              "glove.6B.300d.txt",
          .line = "words, parents from 1, words, parents, separated by tabs: A dog runs, 2 3 0, A cat runs, 2 3 0",
          .metric = "pearson",
          .higher_is_better = true,
          .published = "Pearson 0.868, Spearman 0.808, MSE 0.253 (Tai), with larger vectors, on test",
          .make = make_task<Relatedness>};
}

}  // namespace espalier::app
