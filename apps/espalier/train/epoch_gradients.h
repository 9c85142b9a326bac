// EpochGradients: computes the gradients of an epoch's minibatches, in order.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "task/training_task.h"

namespace espalier::app {

class EpochGradients {
 public:
  // Starts at minibatch `next`. With --ahead, minibatches are recorded and planned while earlier ones run. `losses`
  // records one example; null: task.record() records minibatches.
  EpochGradients(TrainingTask& task, Engine& engine, const std::vector<Minibatch>& minibatches, uint64_t next,
                 TrainingTask::Losses losses);

  // Gradients of the mean loss of a minibatch. next() returns nullopt for a minibatch without losses.
  struct Mean {
    Gradients gradients;
    size_t losses;
  };
  std::optional<Mean> next();

 private:
  Batch<std::vector<Expr>> record(const Minibatch& minibatch);
  std::optional<Mean> record_next();
  std::optional<Mean> take_next();
  void ask();

  TrainingTask& task_;
  Engine& engine_;
  const std::vector<Minibatch>& minibatches_;
  TrainingTask::Losses losses_;
  uint64_t next_;  // index of the next minibatch to record or to push to the pipeline
  std::optional<Pipeline<TrainingTask::Losses>> pipeline_;
};

}  // namespace espalier::app
