// ClassifierTask: a ListedTask whose examples have one class each. Metric: accuracy.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "task/listed_task.h"

namespace espalier::app {

template <class Example>
class ClassifierTask : public ListedTask<Example> {
 public:
  Evaluation evaluate(Engine& engine) override {
    Confusion confusion(labels().size());
    const bool some_decide = std::ranges::any_of(this->dev_, [&](const Example& e) { return decides(e); });
    const Groups by = groups();
    std::vector<train::Mean> accuracies(by.names.size());
    this->infer(
        engine, this->dev_, [&](Graph& g, const Example& e) { return scores(g, e); },
        [&](const Example& e, const Tensor& found) {
          const int best = argmax(found.values()), right = class_of(e);
          if (decides(e) || !some_decide) confusion.add(right, best);
          if (!by.names.empty()) accuracies.at(group_of(e)).add(right == best);
        });
    Evaluation all{{{"accuracy", confusion.accuracy()}}, labels(), confusion.counts()};
    if (!by.names.empty()) all.breakdowns.push_back({"accuracy by " + by.aspect, {}});
    for (size_t i = 0; i < by.names.size(); ++i)
      if (accuracies[i].weight() > 0) all.breakdowns[0].scores.emplace_back(by.names[i], accuracies[i].get());
    return all;
  }

 protected:
  virtual Expr scores(Graph& g, const Example& example) const = 0;  // one per class
  virtual int class_of(const Example& example) const = 0;
  virtual std::vector<std::string> labels() const = 0;  // names of the classes

  // Groups of examples whose accuracy is reported separately, as "accuracy by <aspect>". Empty `names`: no groups.
  struct Groups {
    std::string aspect;
    std::vector<std::string> names;
  };
  virtual Groups groups() const { return {}; }
  virtual size_t group_of(const Example&) const { return 0; }  // index into Groups::names
  // Whether the example counts towards the accuracy that selects the best epoch; if none does, all count.
  virtual bool decides(const Example&) const { return true; }

  std::vector<Expr> losses(Graph& g, const Example& e) const override {
    return {cross_entropy(scores(g, e), class_of(e))};
  }

  // The output of predict for one example: {"label": "b", "probabilities": {"a": 0.2, "b": 0.8}}.
  Json class_answer(std::span<const float> probabilities) const {
    const std::vector<std::string> names = labels();
    Json of_each = Json::object();
    for (size_t i = 0; i < names.size(); ++i) of_each[names[i]] = probabilities[i];
    return {{"label", names[static_cast<size_t>(argmax(probabilities))]}, {"probabilities", of_each}};
  }

  std::vector<Json> answer(Engine& engine, std::span<const Example> examples) override {
    std::vector<Json> found;
    this->infer(
        engine, examples, [&](Graph& g, const Example& e) { return softmax(scores(g, e)); },
        [&](const Example&, const Tensor& probabilities) { found.push_back(class_answer(probabilities.values())); });
    return found;
  }
};

}  // namespace espalier::app
