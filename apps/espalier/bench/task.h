// Task: the interface of a model with its data and optimiser to the measurement loop.
#pragma once
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <espalier/data/binary_tree.h>
#include <espalier/espalier.h>

namespace espalier::app::bench {

// Sizes from the command line; 0 keeps the task's default.
struct Sizes {
  int dim = 0, hidden = 0, leaves = 0, vocab = 0;
  data::binary_tree::Form shape = data::binary_tree::Form::random;
  std::string data;  // a file; empty: generated
  uint64_t seed = 1;
};

class Task {
 public:
  virtual ~Task() = default;

  virtual size_t examples() const = 0;
  virtual size_t tokens(uint64_t example) const = 0;
  // Floating-point operations of the matrix products in the model's formulas for this example, forward only, without
  // sharing equal work: 2·m·n per product of W[m,n] with a vector. Training takes three times as many: once more for
  // the gradient of each vector (including embedding rows), and once more for that of each W.
  virtual double product_flops(uint64_t example) const = 0;

  // Minibatches of exactly `batch` examples; leftover examples are dropped. Fewer examples give one smaller minibatch.
  virtual std::vector<Minibatch> epoch(size_t batch, uint64_t seed, uint64_t number) const;
  // Records the losses of each example.
  virtual Batch<std::vector<Expr>> record(Engine& engine, const Minibatch& minibatch, Mode mode) const = 0;
  // Records the losses of one example. Null if recording waits for values; such a task cannot be prepared ahead.
  using Losses = std::function<std::vector<Expr>(Graph&, uint64_t example)>;
  virtual Losses losses() const { return nullptr; }
  virtual void update(const Gradients& gradients) = 0;
};

// A task over a vector of examples. Model: constructed from a Scope and `sizes`; has losses(Graph&, const Example&),
// tokens(const Example&) and product_flops(const Example&).
template <class Model, class Example, class Optimizer>
class ModelTask : public Task {
 public:
  template <class... A>
  ModelTask(uint64_t seed, std::vector<Example> examples, Optimizer (*optimizer)(Parameters&), A&&... sizes)
      : examples_(std::move(examples)),
        params_(seed),
        model_(params_, std::forward<A>(sizes)...),
        optimizer_(optimizer(params_)) {}

  size_t examples() const override { return examples_.size(); }
  size_t tokens(uint64_t example) const override { return model_.tokens(examples_[example]); }
  double product_flops(uint64_t example) const override { return model_.product_flops(examples_[example]); }
  Batch<std::vector<Expr>> record(Engine& engine, const Minibatch& minibatch, Mode mode) const override {
    sizes_.clear();
    for (uint64_t id : minibatch.ids) sizes_.push_back(static_cast<uint32_t>(tokens(id)));
    return engine.record(minibatch, [&](Graph& g, uint64_t id) { return model_.losses(g, examples_[id]); },
                         {.mode = mode, .sizes = sizes_});
  }
  Losses losses() const override {
    if constexpr (requires(Graph& g) {
                    { model_.losses(g, examples_[0]) } -> std::same_as<std::vector<Expr>>;
                  })
      return [this](Graph& g, uint64_t id) { return model_.losses(g, examples_[id]); };
    return nullptr;
  }
  void update(const Gradients& gradients) override { optimizer_.step(gradients); }

 protected:
  std::vector<Example> examples_;

 private:
  Parameters params_;
  Model model_;
  Optimizer optimizer_;
  mutable std::vector<uint32_t> sizes_;
};

inline optim::Adam adam(Parameters& params) { return optim::Adam(params, {.lr = 1e-3f}); }

// Each function is defined in its own file under tasks/.
std::unique_ptr<Task> fold_tree(const Sizes&);
std::unique_ptr<Task> tree_lstm(const Sizes&);
std::unique_ptr<Task> tagger(const Sizes&);
std::unique_ptr<Task> tagger_char(const Sizes&);
std::unique_ptr<Task> lm(const Sizes&);
std::unique_ptr<Task> parser(const Sizes&);

struct TaskKind {
  std::string name, what;
  std::function<std::unique_ptr<Task>(const Sizes&)> make;
  bool reads_data;
};
const std::vector<TaskKind>& published_kinds();  // the benchmarks of DyNet and TensorFlow Fold
const std::vector<TaskKind>& task_kinds();       // the above, and tasks of espalier train with other names

}  // namespace espalier::app::bench
