// sentiment: the Stanford Sentiment Treebank, five classes or two, with GloVe vectors.
#include <cmath>
#include <span>

#include <espalier/espalier.h>

#include "tasks/kinds.h"
#include "tasks/trees/trees_task.h"

namespace espalier::app {
namespace {

const std::vector<std::string> five_sentiments{"very negative", "negative", "neutral", "positive", "very positive"};
const std::string five_names = "0=very negative,1=negative,2=neutral,3=positive,4=very positive";
const std::string two_names = "0=negative,1=negative,2=,3=positive,4=positive";

class Sentiment : public TreesTask {
 public:
  Sentiment() {
    training.epochs = 24;
    training.batch = 50;
    training.optimizer = "adagrad";
    training.lr = 0.05;
    training.schedule = "constant";
    training.patience = 8;
    train_file_ = "sst/train.txt";
    dev_file_ = "sst/dev.txt";
    form_name_ = "labels";
    label_names_ = five_names;
    vectors_ = "glove/glove.6B.300d.sst.txt.gz|glove/glove.6B.300d.txt";
    hidden_ = dim_ = 300;
    lower_case_ = true;
    unknown_ = 0;
    word_dropout_ = 0.3;
    node_dropout_ = 0.4;
    out_dropout_ = 0.3;
    start_ = init::uniform(-0.05f, 0.05f);
  }

  void settings(Fields& f) override {
    f.add("classes", count_, {"5", "2"}, "5, or 2: negative and positive, without neutral");
    TreesTask::settings(f);
  }

  // With five classes: whether the sides of positive and negative trees are told apart, as a second score.
  Evaluation evaluate(Engine& engine) override {
    if (labels() != five_sentiments) return TreesTask::evaluate(engine);
    constexpr int neutral = 2;
    Confusion confusion(five_sentiments.size());
    train::Mean binary;
    infer(
        engine, dev_, [&](Graph& g, const ClassifiedTree& e) { return scores(g, e); },
        [&](const ClassifiedTree& e, const Tensor& found) {
          confusion.add(class_of(e), argmax(found.values()));
          if (class_of(e) != neutral) binary.add(is_positive(found.values()) == (class_of(e) > neutral));
        });
    return {{{"accuracy", confusion.accuracy()}, {"binary", binary.get()}}, labels(), confusion.counts()};
  }

 protected:
  std::vector<std::string> given_labels() const override { return {"0", "1", "2", "3", "4"}; }
  std::string label_names() const override {
    if (count_ == "5") return label_names_;
    if (label_names_ != five_names) throw Error("--classes 2 and --labels exclude each other");
    return two_names;
  }

 private:
  static bool is_positive(std::span<const float> scores) {
    const auto share = [&](size_t a, size_t b) { return std::exp(scores[a]) + std::exp(scores[b]); };
    return share(3, 4) > share(0, 1);
  }

  std::string count_ = "5";
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
          .preset_of = "trees",
          .make = make_task<Sentiment>};
}

}  // namespace espalier::app
