// The tasks of espalier train as benchmarks.
#include "bench/tasks/trained.h"

#include <utility>

#include <fmt/format.h>

#include "task/settings.h"
#include "train/optimizer.h"

namespace espalier::app::bench {
namespace {

class Trained : public Task {
 public:
  Trained(const app::TaskKind& kind, const Sizes& sizes)
      : name_(kind.name), task_(kind.make()), params_(sizes.seed), optimizer_(prepare(sizes)) {}

  size_t examples() const override { return task_->train_size(); }
  size_t tokens(uint64_t) const override { return 1; }
  double product_flops(uint64_t) const override { return 0; }  // no formula; counted at run time
  Batch<std::vector<Expr>> record(Engine& engine, const Minibatch& minibatch, Mode mode) const override {
    if (mode != Mode::train) throw Error(fmt::format("bench: {} supports --mode train only", name_));
    return task_->record(engine, minibatch);
  }
  Losses losses() const override { return task_->losses_by_id(); }
  void update(const Gradients& gradients) override { optimizer_.step(gradients); }

 private:
  optim::Optimizer prepare(const Sizes& sizes) {
    Json settings = Json::object();
    if (sizes.dim > 0) settings["dim"] = sizes.dim;
    if (sizes.hidden > 0) settings["hidden"] = sizes.hidden;
    if (sizes.vocab > 0) settings["vocab"] = sizes.vocab;
    if (!sizes.data.empty()) settings["data"] = sizes.data;
    settings["seed"] = sizes.seed;
    try {
      set_settings(*task_, settings);
    } catch (const Error& e) {
      throw Error(fmt::format("bench: {}: {}", name_, e.what()));
    }
    task_->read();
    task_->build(params_);
    task_->initialise();
    optim::Optimizer optimizer = make_optimizer(task_->training, params_);
    task_->tune(optimizer);
    return optimizer;
  }

  std::string name_;
  std::unique_ptr<TrainingTask> task_;
  Parameters params_;
  optim::Optimizer optimizer_;
};

}  // namespace

std::vector<TaskKind> trained_kinds() {
  std::vector<TaskKind> kinds;
  for (const app::TaskKind& kind : app::task_kinds())
    if (!kind.is_general())
      kinds.push_back(
          {kind.name, kind.what, [&kind](const Sizes& s) { return std::make_unique<Trained>(kind, s); }, true});
  return kinds;
}

}  // namespace espalier::app::bench
