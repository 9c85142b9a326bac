// ListedTask: a TrainingTask whose examples are stored in two lists, train_ and dev_.
#pragma once
#include <algorithm>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "task/length_buckets.h"
#include "task/training_task.h"

namespace espalier::app {

template <class Example>
class ListedTask : public TrainingTask {
 public:
  size_t train_size() const override { return train_.size(); }
  size_t dev_size() const override { return dev_.size(); }

  Batch<std::vector<Expr>> record(Engine& engine, const Minibatch& minibatch) override {
    const std::vector<uint32_t> of_each = sizes(minibatch);
    return engine.record(minibatch, [&](Graph& g, uint64_t id) { return losses(g, train_[id]); }, {.sizes = of_each});
  }
  Losses losses_by_id() const override {
    return [this](Graph& g, uint64_t id) { return losses(g, train_[id]); };
  }
  std::vector<uint32_t> sizes(const Minibatch& minibatch) const override {
    std::vector<uint32_t> all;
    for (const uint64_t id : minibatch.ids) all.push_back(size(train_[id]));
    return all;
  }

  std::vector<Json> predict(Engine& engine, std::span<const std::string> lines) override {
    std::vector<Json> result(lines.size());
    std::vector<Example> good;
    std::vector<size_t> places;
    for (size_t i = 0; i < lines.size(); ++i) {
      try {
        good.push_back(parse(lines[i]));
        places.push_back(i);
      } catch (const Error& e) {
        result[i]["error"] = e.what();
      }
    }
    std::vector<Json> found = answer_each(engine, good);
    for (size_t i = 0; i < found.size(); ++i) result[places[i]] = std::move(found[i]);
    return result;
  }

 protected:
  std::vector<Example> train_, dev_;

  virtual std::vector<Expr> losses(Graph& g, const Example& example) const = 0;
  virtual uint32_t size(const Example&) const { return 1; }  // amount of work, to balance threads
  virtual Example parse(const std::string& line) const = 0;  // DataError: invalid
  virtual std::vector<Json> answer(Engine& engine, std::span<const Example> examples) = 0;

  // An epoch whose minibatches hold examples of similar size().
  std::vector<Minibatch> epoch_of_like_sizes(uint64_t number) const {
    std::vector<uint32_t> sizes;
    for (const Example& e : train_) sizes.push_back(size(e));
    if (training.limit > 0) sizes.resize(std::min(sizes.size(), static_cast<size_t>(training.limit)));
    return minibatches_of_like_length(sizes, static_cast<size_t>(training.batch), training.seed, number);
  }

  // Answers all examples in one batch; if that fails, each one separately, because only some of them may be invalid.
  std::vector<Json> answer_each(Engine& engine, std::span<const Example> examples) {
    try {
      return answer(engine, examples);
    } catch (const Error& e) {
      if (examples.size() == 1) {
        Json refused;
        refused["error"] = e.what();
        return {refused};
      }
    }
    std::vector<Json> found;
    for (size_t i = 0; i < examples.size(); ++i) found.push_back(answer_each(engine, examples.subspan(i, 1)).front());
    return found;
  }

  // Computes f(graph, example) for all examples, in batches, without dropout; calls each(example, value) in order.
  template <class F, class Each>
  void infer(Engine& engine, std::span<const Example> examples, F f, Each each) const {
    constexpr size_t at_once = 256;
    std::vector<uint32_t> sizes;
    for (size_t begin = 0; begin < examples.size(); begin += at_once) {
      const auto part = examples.subspan(begin, std::min(at_once, examples.size() - begin));
      sizes.clear();
      for (const Example& e : part) sizes.push_back(size(e));
      auto values = engine.infer(engine.record(part, f, {.mode = Mode::infer, .sizes = sizes}));
      for (size_t i = 0; i < part.size(); ++i) each(part[i], values[i]);
    }
  }
};

}  // namespace espalier::app
