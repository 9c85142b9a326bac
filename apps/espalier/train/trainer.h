// Trainer: trains a task; holds its engine, parameters, optimiser and progress.
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

// The progress of a training run, in addition to io::Position; stored in the checkpoint as JSON.
struct Standing {
  double loss_sum = 0, losses = 0;  // sum and number of losses of this epoch so far
  double seconds = 0;               // training time, including earlier processes of a resumed run
  std::optional<uint64_t> best_epoch{};
  double best = std::numeric_limits<double>::quiet_NaN();  // value of the task's metric
  Json best_scores = Json::object();

  Json to_json() const;
  Json reproducible() const;  // without `seconds`, which differs between identical runs
  static Standing from_json(const Json& json);
};

class Trainer {
 public:
  enum class End { finished, no_improvement, interrupted, diverged };

  // Requires that the task's settings are set and its data read.
  Trainer(const TaskKind& kind, TrainingTask& task, RunFolder& folder, bool quiet);

  void begin();   // starts a new run: clears the folder and writes the first log events and checkpoint
  void resume();  // continues from the last checkpoint; the task must have its settings
  // Trains to the end, or until interrupted; returns the reason. NumberError: a loss or a parameter is not finite, or
  // the dev score is non-finite in every epoch. Checkpoints hold finite values only.
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
  void check_parameters();  // NumberError: a parameter is not finite
  [[noreturn]] void diverge(const std::string& what);
  void check_same_data(const io::Meta& before);
  void check_keeping();
  void check_position() const;
  size_t trained_on() const;  // examples per epoch
  void log_schedule();
  void log_best_pictures();
  io::Meta meta(const Json& standing);
  double total_steps() const;

  const TaskKind& kind_;
  TrainingTask& task_;
  const Metric metric_;
  RunFolder& folder_;
  bool quiet_;
  Engine engine_;
  Parameters params_;
  optim::Optimizer optimizer_;
  TrainingTask::Losses losses_;  // records one example; null unless --ahead or --keep-recordings is used
  std::optional<optim::MovingAverage> average_;
  io::Position position_;
  Standing standing_;
  std::chrono::steady_clock::time_point saved_at_ = std::chrono::steady_clock::now();
};

std::string name(Trainer::End end);  // "finished", "no improvement", "interrupted", "diverged"

}  // namespace espalier::app
