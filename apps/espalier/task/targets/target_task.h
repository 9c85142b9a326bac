// TargetTask: a FileTask whose examples have targets: classes or numbers (targets.h). Example: a struct with a member
// `TargetValues target`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <espalier/espalier.h>

#include "task/file_task.h"
#include "task/targets/targets.h"

namespace espalier::app {

template <class Example>
class TargetTask : public FileTask<Example> {
 public:
  explicit TargetTask(Targets targets) : targets_(std::move(targets)) {}

  std::optional<Metric> metric() const override { return targets_.metric(); }
  void read() override {
    FileTask<Example>::read();
    if (has_targets()) check_metric_on_dev();
  }
  void save(io::Meta& meta) const override {
    FileTask<Example>::save(meta);
    if (has_targets()) targets_.save(meta);
  }
  void restore(const io::Meta& meta) override {
    FileTask<Example>::restore(meta);
    if (has_targets()) targets_.restore(meta);
  }

  Evaluation evaluate(Engine& engine) override {
    Targets::Scores scores(targets_);
    this->infer(
        engine, this->dev_, [&](Graph& g, const Example& e) { return outputs(g, e); },
        [&](const Example& e, const Tensor& row) { scores.add(e.target, row.values()); });
    return scores.evaluation();
  }

 protected:
  Targets targets_;

  virtual bool has_targets() const { return true; }  // after read() or restore(); false: the examples have other labels
  virtual Expr outputs(Graph& g, const Example& example) const = 0;  // targets_.row_size() elements

  void learn() override {
    targets_.learn(values_of(this->train_), this->dev_file_.empty() ? values_of(this->dev_) : Values(),
                   this->test_file_.empty() ? values_of(this->test_) : Values(), this->training_path() + ": ");
  }
  void prepare(std::vector<Example>& examples) const override {
    for (Example& e : examples) targets_.encode(e.target);
  }

  std::vector<Expr> losses(Graph& g, const Example& e) const override {
    const auto loss = targets_.loss(g, outputs(g, e), e.target);
    return loss ? std::vector<Expr>{*loss} : std::vector<Expr>{};
  }

  std::vector<Json> answer(Engine& engine, std::span<const Example> examples) override {
    std::vector<Json> found;
    this->infer(
        engine, examples, [&](Graph& g, const Example& e) { return outputs(g, e); },
        [&](const Example&, const Tensor& row) { found.push_back(targets_.answer(row.values())); });
    return found;
  }

 private:
  using Values = std::vector<const TargetValues*>;

  void check_metric_on_dev() {
    Targets::Scores dev(targets_);
    const std::vector<float> row(static_cast<size_t>(targets_.row_size()));
    for (const Example& e : this->dev_) dev.add(e.target, row);
    targets_.check_metric(dev);
  }

  static Values values_of(const std::vector<Example>& examples) {
    Values all;
    for (const Example& e : examples) all.push_back(&e.target);
    return all;
  }
};

}  // namespace espalier::app
