// Targets: what a task predicts for an example: one or several targets, each a class or a number. Learns the classes,
// their weights, means and standard deviations from the training examples; computes losses, metrics and answers from
// the model's output row.
//
// The output row has, per target, one standardised number, one logit (two classes), or one score per class.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <espalier/espalier.h>

#include "task/training_task.h"

namespace espalier::app {

// The targets of one example.
struct TargetValues {
  std::vector<std::string> texts{};  // as in the file; empty: missing
  std::string place{};               // "train.csv:3:1: ", the prefix of errors
  std::vector<float> values{};       // set by Targets::encode: a number or the index of a class; NaN: missing
};

class Targets {
 public:
  // How answers name targets. name: {"logp": 2.1}; none: {"value": 2.1}, possible only with one target.
  enum class Naming { name, none };
  // `two_class_metric`: the default metric if all targets have two classes; with more classes it is accuracy.
  explicit Targets(Naming naming, std::string two_class_metric = "accuracy")
      : naming_(naming), two_class_metric_(std::move(two_class_metric)) {}

  std::string kind = "classification";
  std::string unit{};  // of numbers, for the report

  void add_to(Fields& fields);                     // --kind, --metric, --class-weights
  void set_names(std::vector<std::string> names);  // before learn(); without it, one target named "label"
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& labels() const { return targets_.front().labels; }  // of the first target

  // Learns from the training examples. The classes of dev and test examples from the same file are known, too, even if
  // no training example has them. `place`: the prefix of errors. DataError: a target has no value, or fewer than two
  // classes. Error: the metric does not fit the targets.
  using Values = std::vector<const TargetValues*>;
  void learn(const Values& train, const Values& dev = {}, const Values& test = {}, const std::string& place = {});
  void check(const TargetValues& target) const;  // DataError: numbers are predicted, and a text is not a number
  void encode(TargetValues& target) const;       // DataError: a class that the training examples lack, or not a number
  std::vector<std::string> summary() const;      // of the training examples, one line per target

  void save(io::Meta& meta) const;
  void restore(const io::Meta& meta);

  // ---- the output row
  int row_size() const;
  // The sum over the targets that are not missing; nullopt: all are missing.
  std::optional<Expr> loss(Graph& g, const Expr& row, const TargetValues& target) const;
  Json answer(std::span<const float> row) const;

  // ---- evaluation
  Metric metric() const;
  bool has_class_weights() const { return class_weights_ != "none"; }
  const std::string& metric_choice() const { return metric_; }  // of --metric: auto, accuracy, …
  class Scores {
   public:
    explicit Scores(const Targets& targets) : targets_(targets), of_(targets.targets_.size()) {}
    void add(const TargetValues& target, std::span<const float> row);
    // The metric comes first. With several targets: means over the targets, and the metric by target.
    Evaluation evaluation() const;
    bool has_both_classes() const;  // of some target; else no AUC can be computed

   private:
    struct Pairs {
      std::vector<float> gold, found;  // found: a number, a logit, or the index of the class with the largest score
    };
    NamedScores scores_of(size_t target) const;
    NamedScores numbers(const Pairs& pairs) const;
    NamedScores classes(size_t target) const;
    std::vector<std::vector<uint64_t>> confusion(size_t target) const;

    const Targets& targets_;
    std::vector<Pairs> of_;  // per target
  };
  // Requires that the metric can be computed on the dev set. If dev has only one class of each target, an automatic AUC
  // becomes accuracy. DataError: --metric auc was given.
  void check_metric(const Scores& dev);

 private:
  struct Target {
    std::vector<std::string> labels{};  // of the classes; empty: a number
    std::vector<float> weights{};       // of the classes in the loss
    float mean = 0, spread = 1;         // of the numbers in training
    bool is_number() const { return labels.empty(); }
    bool is_binary() const { return labels.size() == 2; }
    size_t outputs() const { return labels.size() > 2 ? labels.size() : 1; }
    bool is_flag() const { return labels == std::vector<std::string>{"0", "1"}; }
  };

  bool is_regression() const { return kind == "regression"; }
  Target learn_classes(size_t t, const Values& train, const Values& others);
  Target learn_numbers(size_t t, const Values& train);
  float value_of(size_t t, const std::string& text, const std::string& place) const;
  void refuse_numbers(size_t t, const std::vector<std::string>& labels, size_t given) const;
  Expr row_loss(Graph& g, const Expr& row, const TargetValues& target) const;
  Json answer_to(size_t t, const float* outputs) const;
  std::string prefix(size_t t) const;  // "target 'logp': ", for errors and the summary
  std::string metric_name() const;     // one of the choices of --metric, never auto

  Naming naming_;
  std::string two_class_metric_, metric_ = "auto", class_weights_ = "none";
  std::vector<std::string> names_{"label"};
  std::vector<Target> targets_;
  std::vector<std::string> summary_;
  bool is_weighted_ = false;  // some training values are missing, or classes have weights
};

}  // namespace espalier::app
