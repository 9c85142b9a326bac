#include "train/epoch_gradients.h"

#include <functional>
#include <utility>

namespace espalier::app {

EpochGradients::EpochGradients(TrainingTask& task, Engine& engine, const std::vector<Minibatch>& minibatches,
                               uint64_t next, TrainingTask::Losses losses)
    : task_(task), engine_(engine), minibatches_(minibatches), losses_(std::move(losses)), next_(next) {
  const int ahead = task.training.ahead;
  if (ahead == 0) return;
  pipeline_.emplace(engine, ahead, losses_);
  for (int i = 0; i <= ahead; ++i) ask();  // one minibatch per thread, and one ready to run
}

void EpochGradients::ask() {
  if (next_ == minibatches_.size()) return;
  const Minibatch& minibatch = minibatches_[next_++];
  pipeline_->push(minibatch, {.mean = true, .sizes = task_.sizes(minibatch)});
}

std::optional<EpochGradients::Mean> EpochGradients::next() { return pipeline_ ? take_next() : record_next(); }

Batch<std::vector<Expr>> EpochGradients::record(const Minibatch& minibatch) {
  if (losses_ == nullptr) return task_.record(engine_, minibatch);
  const std::vector<uint32_t> sizes = task_.sizes(minibatch);
  return engine_.record(minibatch, std::ref(losses_), {.sizes = sizes});
}

std::optional<EpochGradients::Mean> EpochGradients::record_next() {
  const auto batch = record(minibatches_[next_++]);
  std::vector<Expr> losses;
  for (const std::vector<Expr>& of_example : batch.results)
    losses.insert(losses.end(), of_example.begin(), of_example.end());
  if (losses.empty()) return {};
  return Mean{engine_.backward(losses, 1 / static_cast<float>(losses.size())), losses.size()};
}

std::optional<EpochGradients::Mean> EpochGradients::take_next() {
  Gradients gradients = pipeline_->backward();
  ask();
  if (pipeline_->taken() == 0) return {};
  return Mean{std::move(gradients), pipeline_->taken()};
}

}  // namespace espalier::app
