// TargetTask: a ListedTask whose examples have one target each, a class or a number, as the setting --kind says.
// Metric: accuracy, or rmse.
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nearest.h"
#include "task/label_order.h"
#include "task/listed_task.h"

namespace espalier::app {

// The target of an example.
struct Target {
  std::string label{};  // classification: its name
  float number = 0;     // regression: its value
};

template <class Example>
class TargetTask : public ListedTask<Example> {
 public:
  std::optional<Metric> metric() const override {
    return is_regression() ? Metric{"rmse", false} : Metric{"accuracy", true};
  }

  void save(io::Meta& meta) const override {
    meta["targets"] = Json{{"labels", labels_}, {"weights", weights_}, {"mean", mean_}, {"spread", spread_}}.dump();
  }
  void restore(const io::Meta& meta) override {
    const Json targets = Json::parse(meta.at("targets"));
    labels_ = targets.at("labels");
    weights_ = targets.at("weights");
    mean_ = targets.at("mean");
    spread_ = targets.at("spread");
  }

  Evaluation evaluate(Engine& engine) override {
    return is_regression() ? evaluate_numbers(engine) : evaluate_classes(engine);
  }

 protected:
  std::string kind_ = "classification", class_weights_ = "none";

  // One row per example: the scores of the classes, or one standardised number, of shape [1].
  virtual Expr outputs(Graph& g, const Example& example) const = 0;
  virtual const Target& target_of(const Example& example) const = 0;
  virtual std::string place_of(const Example&) const { return ""; }  // "train.csv:3:1: ", the prefix of errors

  void add_target_settings(Fields& f) {
    f.add("kind", kind_, {"classification", "regression"}, "Whether the target is a class or a number");
    f.add("class-weights", class_weights_, {"none", "balanced"},
          "balanced: classes count equally in the loss, however many examples they have");
  }
  bool is_regression() const { return kind_ == "regression"; }
  const std::vector<std::string>& labels() const { return labels_; }
  int output_size() const { return is_regression() ? 1 : static_cast<int>(labels_.size()); }

  // Derives classes, their weights, mean and standard deviation from train_. DataError: fewer than two classes.
  void learn_targets() {
    labels_.clear();
    weights_.clear();
    if (is_regression()) return standardise();
    std::map<std::string, size_t> counts;
    for (const Example& e : this->train_) ++counts[target_of(e).label];
    for (const auto& [label, count] : counts) labels_.push_back(label);
    sort_labels(labels_);
    if (labels_.size() < 2)
      throw DataError(fmt::format("the training examples have {}; a classifier needs at least two classes",
                                  labels_.empty() ? "no class" : "the single class '" + labels_.front() + "'"));
    const auto n = static_cast<double>(this->train_.size()), classes = static_cast<double>(labels_.size());
    for (const std::string& label : labels_)
      weights_.push_back(
          class_weights_ == "balanced" ? static_cast<float>(n / (classes * static_cast<double>(counts[label]))) : 1.f);
  }

  // "3 classes: a 20, b 5, c 1" of train, or "mean 3.2, standard deviation 1.1, from 0 to 9".
  std::string target_summary() const {
    if (is_regression()) {
      float least = INFINITY, most = -INFINITY;
      for (const Example& e : this->train_) {
        least = std::min(least, target_of(e).number);
        most = std::max(most, target_of(e).number);
      }
      return fmt::format("mean {:.4g}, standard deviation {:.4g}, from {:.4g} to {:.4g}", mean_, spread_, least, most);
    }
    constexpr size_t most_shown = 20;
    std::map<std::string, size_t> counts;
    for (const Example& e : this->train_) ++counts[target_of(e).label];
    std::string text = fmt::format("{} classes: ", labels_.size());
    for (size_t i = 0; i < std::min(labels_.size(), most_shown); ++i)
      text += fmt::format("{}{} {}", i == 0 ? "" : ", ", labels_[i], counts[labels_[i]]);
    return labels_.size() > most_shown ? text + fmt::format(", and {} more", labels_.size() - most_shown) : text;
  }

  std::vector<Expr> losses(Graph& g, const Example& e) const override {
    const Expr row = outputs(g, e);
    if (is_regression()) {
      const std::vector<float> wanted{(target_of(e).number - mean_) / spread_};
      return {mse_loss(row, input(g, wanted, row.shape()))};
    }
    const int label = class_of(e);
    const float weight = weights_[static_cast<size_t>(label)];
    const Expr loss = cross_entropy(row, label);
    return {weight == 1 ? loss : loss * weight};
  }

  std::vector<Json> answer(Engine& engine, std::span<const Example> examples) override {
    std::vector<Json> found;
    this->infer(
        engine, examples,
        [&](Graph& g, const Example& e) { return is_regression() ? outputs(g, e) : softmax(outputs(g, e)); },
        [&](const Example&, const Tensor& row) { found.push_back(answer_of(row.data)); });
    return found;
  }
  Json answer_of(const std::vector<float>& row) const {
    if (is_regression()) return {{"value", number(row[0])}};
    Json of_each = Json::object();
    for (size_t i = 0; i < labels_.size(); ++i) of_each[labels_[i]] = row[i];
    return {{"label", labels_[static_cast<size_t>(argmax(row))]}, {"probabilities", of_each}};
  }

 private:
  int class_of(const Example& e) const {
    const std::string& label = target_of(e).label;
    const auto found = std::ranges::find(labels_, label);
    if (found != labels_.end()) return static_cast<int>(found - labels_.begin());
    const std::string meant = nearest(label, labels_);
    throw DataError(fmt::format("{}the class '{}' does not occur in the training examples; they have {} classes{}",
                                place_of(e), label, labels_.size(), meant.empty() ? "" : ", such as '" + meant + "'"));
  }
  float number(float standard) const { return standard * spread_ + mean_; }
  void standardise() {
    train::Mean mean, square;
    for (const Example& e : this->train_) mean.add(target_of(e).number);
    mean_ = static_cast<float>(mean.get());
    for (const Example& e : this->train_) {
      const double off = target_of(e).number - mean.get();
      square.add(off * off);
    }
    spread_ = static_cast<float>(std::sqrt(std::max(square.get(), 1e-12)));
  }

  Evaluation evaluate_classes(Engine& engine) {
    Confusion confusion(labels_.size());
    this->infer(
        engine, this->dev_, [&](Graph& g, const Example& e) { return outputs(g, e); },
        [&](const Example& e, const Tensor& row) { confusion.add(class_of(e), argmax(row.data)); });
    Evaluation e{{{"accuracy", confusion.accuracy()}}, labels_, confusion.counts()};
    e.scores.emplace_back("macro F1", macro_f1(confusion.counts()));
    return e;
  }
  // The mean F1 of the classes that occur among the examples or the predictions.
  static double macro_f1(const std::vector<std::vector<uint64_t>>& counts) {
    train::Mean mean;
    for (size_t c = 0; c < counts.size(); ++c) {
      uint64_t gold = 0, predicted = 0;
      for (size_t i = 0; i < counts.size(); ++i) {
        gold += counts[c][i];
        predicted += counts[i][c];
      }
      if (gold + predicted > 0)
        mean.add(2.0 * static_cast<double>(counts[c][c]) / static_cast<double>(gold + predicted));
    }
    return mean.get();
  }
  Evaluation evaluate_numbers(Engine& engine) {
    Evaluation e;
    train::Mean square, absolute;
    this->infer(
        engine, this->dev_, [&](Graph& g, const Example& x) { return outputs(g, x); },
        [&](const Example& x, const Tensor& row) {
          const float gold = target_of(x).number, found = number(row.data[0]);
          e.gold.push_back(gold);
          e.predicted.push_back(found);
          square.add((found - gold) * (found - gold));
          absolute.add(std::abs(found - gold));
        });
    e.scores = {{"rmse", std::sqrt(square.get())}, {"mean absolute error", absolute.get()}};
    return e;
  }

  std::vector<std::string> labels_;
  std::vector<float> weights_;  // of the classes in the loss
  float mean_ = 0, spread_ = 1;
};

}  // namespace espalier::app
