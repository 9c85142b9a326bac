// EpochGradients: those of the minibatches of an epoch, in their order.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "task/training_task.h"

namespace espalier::app {

class EpochGradients {
 public:
  // From the minibatch `next` on. With --ahead, minibatches are recorded and planned while those before them run.
  EpochGradients(TrainingTask& task, Engine& engine, const std::vector<Minibatch>& minibatches, uint64_t next);

  // Of the mean loss of a minibatch; none: it has no losses.
  struct Mean {
    Gradients gradients;
    size_t losses;
  };
  std::optional<Mean> next();

 private:
  std::optional<Mean> record_next();
  std::optional<Mean> take_next();
  void ask();

  TrainingTask& task_;
  Engine& engine_;
  const std::vector<Minibatch>& minibatches_;
  uint64_t next_;  // to be recorded or asked for
  std::optional<Pipeline<TrainingTask::Losses>> pipeline_;
};

}  // namespace espalier::app
