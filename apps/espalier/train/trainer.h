// Trainer: a task with what trains it, and where the training stands.
#pragma once
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <espalier/optim/moving_average.h>

#include "task/training_task.h"
#include "train/epoch_gradients.h"
#include "train/run_folder.h"

namespace espalier::app {

// Where a training stands, beside the position; it lies in the checkpoint as text.
struct Standing {
  double loss_sum = 0, losses = 0;  // of this epoch so far
  double seconds = 0;               // of training, over all runs that checkpoints join
  std::optional<uint64_t> best_epoch{};
  double best = std::numeric_limits<double>::quiet_NaN();  // the score that decides
  Json best_scores = Json::object();

  Json to_json() const;
  Json reproducible() const;  // without the time, which differs between equal runs
  static Standing from_json(const Json& json);
};

class Trainer {
 public:
  enum class End { finished, no_improvement, interrupted, diverged };

  // The task's settings are set and its data read.
  Trainer(const TaskKind& kind, TrainingTask& task, RunFolder& folder, bool quiet);

  void begin();   // logs the start
  void resume();  // from the last checkpoint, whose settings the task has
  // Trains to the end, or until it is interrupted; returns why it ended. NumberError: a loss, a parameter or the dev
  // score of every epoch is not finite. Checkpoints hold finite numbers only.
  End run();

  const Standing& standing() const { return standing_; }

 private:
  bool run_epoch();  // false: interrupted
  void step(const EpochGradients::Mean& mean);
  void end(End how);
  bool no_improvement() const;
  void save_last();
  void save_best();
  bool is_time_to_save() const;
  void check_parameters();  // NumberError: one is not finite
  [[noreturn]] void diverge(const std::string& what);
  void check_same_data(const io::Meta& before);
  size_t trained_on() const;  // examples of an epoch
  void log_schedule();
  void log_best_pictures();
  io::Meta meta(const Json& standing);
  double total_steps() const;

  const TaskKind& kind_;
  TrainingTask& task_;
  RunFolder& folder_;
  bool quiet_;
  Engine engine_;
  Parameters params_;
  optim::Optimizer optimizer_;
  std::optional<optim::MovingAverage> average_;
  io::Position position_;
  Standing standing_;
  std::chrono::steady_clock::time_point saved_at_ = std::chrono::steady_clock::now();
};

std::string name(Trainer::End end);  // "finished", "no improvement", "interrupted", "diverged"

}  // namespace espalier::app
