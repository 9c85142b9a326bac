// TrainingTask: the interface of a model with its data and metric to `train`, `eval`, `predict` and `explain`.
//
// Order of calls in training: settings(), read(), build(), then alternating record() and evaluate(). To predict or
// evaluate a checkpoint: settings(), restore(), build(), then predict(), or read_dev() and evaluate().
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <espalier/espalier.h>

#include "data/folders.h"
#include "task/evaluation.h"
#include "task/fields.h"

namespace espalier::app {

using Json = nlohmann::ordered_json;

// Training settings. Each task sets its own defaults.
struct TrainSettings {
  int epochs = 10;
  int patience = 0;  // epochs without a better dev score before training stops; 0 disables early stopping
  int batch = 32;
  std::string optimizer = "adam";
  double lr = 1e-3, weight_decay = 0, clip = 5;
  std::string schedule = "constant";  // of lr: constant, linear or cosine; the last two fall to 0 after the last epoch
  double average = 0;                 // decay of the parameters' moving average, which is evaluated; 0 disables it
  uint64_t seed = 1;
  std::string device = "cpu", precision = "f32";
  int threads = 2;
  int ahead = 0;
  bool keep_recordings = false;  // record each training example once
  int limit = 0;                 // train on the first examples only; 0: on all
  double save_every = 0;         // minutes between checkpoints within an epoch; 0: only at the end of an epoch
  int keep_checkpoints = 0;      // number of latest checkpoints kept in addition to last.safetensors

  void add_to(Fields& fields);
  EngineOptions engine() const;
};

// The score that selects the best epoch.
struct Metric {
  std::string name;
  bool higher_is_better;
};

// A part of the data. Only `train` is trained on, and `dev` selects the best epoch.
enum class Part { train, dev, test };
std::string name(Part part);

// Cross-validation. A task with folds adds these as settings.
struct Folds {
  int count = 1;   // 1: one division into train and dev
  int chosen = 0;  // 1 … count: the part that is dev; 0: each in its own run, one after the other

  void add_to(Fields& fields);
};

// How predict cuts its input into examples.
struct PredictInput {
  // lines: one example per line. blocks: consecutive lines, up to a blank one. brackets: a line and the lines after it
  // up to the last closing parenthesis. json: one record after another, each beginning in a line of its own, or one
  // array of records.
  enum class Kind { lines, blocks, brackets, json } kind = Kind::lines;
  // An input whose first line is a CSV header with this column is read as CSV; the column holds the examples. Empty:
  // the task reads no CSV.
  std::string csv_column{};
};

class TrainingTask {
 public:
  virtual ~TrainingTask() = default;

  TrainSettings training;
  Folds folds;
  std::string data;  // folder with the data sets; empty: see data/folders.h

  virtual void settings(Fields&) {}  // settings of the model and its data

  // ---- data. DataError: a file is missing or invalid.
  virtual void read() = 0;                             // train and dev set; derives the vocabulary
  virtual void read_dev(const std::string& path) = 0;  // dev set from this file instead
  virtual void read_dev() = 0;                         // dev set alone, as in read()
  virtual void read_part(Part part);                   // this part instead of the dev set. Error: the task has none
  virtual std::vector<std::string> summary() const {
    return {};
  }  // after read(): columns, labels, counts; one per line
  virtual void save(io::Meta&) const {}  // state for predict besides the settings: vocabulary, labels
  virtual void restore(const io::Meta&) {}

  // ---- model
  virtual void build(Scope p) = 0;         // after read() or restore()
  virtual void initialise() {}             // sets values from files, such as word vectors; before training only
  virtual void tune(optim::Optimizer&) {}  // sets up groups with their own learning rate

  // ---- training
  virtual size_t train_size() const = 0;
  virtual size_t dev_size() const = 0;
  virtual std::vector<Minibatch> epoch(uint64_t number) const;
  virtual Batch<std::vector<Expr>> record(Engine& engine, const Minibatch& minibatch) = 0;  // losses per example
  virtual Evaluation evaluate(Engine& engine) = 0;                                          // on the dev set
  // The metric, if settings decide it; nullopt: that of the TaskKind. After read() or restore().
  virtual std::optional<Metric> metric() const { return {}; }
  // The function that record() calls per example, for --ahead and --keep-recordings. Null: it waits for values, so that
  // they cannot be used.
  using Losses = std::function<std::vector<Expr>(Graph&, uint64_t id)>;
  virtual Losses losses_by_id() const = 0;
  virtual std::vector<uint32_t> sizes(const Minibatch& minibatch) const = 0;  // work per example, to balance threads

  // ---- predicting
  virtual PredictInput predict_input() const { return {}; }
  // One answer per line; {"error": …} for an invalid line. TaskKind::line describes the format.
  virtual std::vector<Json> predict(Engine& engine, std::span<const std::string> lines) = 0;
};

// Scores by name; a breakdown is an object of scores by variant. The format of the log and of stdout.
Json scores_json(const Evaluation& evaluation);

struct TaskKind {
  std::string name;
  std::string what;    // the task and the model, in one line
  std::string paper;   // sources of the model
  std::string data;    // the files in the data folder; "generated"; or "--csv FILE", the flag of a general task
  std::string line;    // the line format of predict
  std::string metric;  // the score that selects the best epoch
  bool higher_is_better;
  std::string published{};  // published result and source; empty: none
  std::string preset_of{};  // the general task whose settings this one presets; empty: none
  std::function<std::unique_ptr<TrainingTask>()> make;

  bool is_general() const { return data.starts_with("--"); }  // trains on the user's own file
};
Metric metric_of(const TaskKind& kind, const TrainingTask& task);

template <class Task>
std::unique_ptr<TrainingTask> make_task() {
  return std::make_unique<Task>();
}

const std::vector<TaskKind>& task_kinds();         // in display order
const TaskKind& task_kind(std::string_view name);  // Error: unknown name, with a suggestion

}  // namespace espalier::app
