// TrainingTask: a model with its data and its measure, as `train`, `eval`, `predict` and `explain` see it.
//
// Its life in a training: made, settings(), read(), build(), and then record() and evaluate() by turns. To predict or
// to be judged: made, settings() and restore() from a checkpoint, build(), and then predict(), or read_dev() and
// evaluate().
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <espalier/espalier.h>

#include "task/evaluation.h"
#include "task/fields.h"

namespace espalier::app {

using Json = nlohmann::ordered_json;

// How it is trained; each task sets values of its own that suit it.
struct TrainSettings {
  int epochs = 10;
  int patience = 0;  // epochs without a better dev score after which it stops; 0: none is too many
  int batch = 32;
  std::string optimizer = "adam";
  double lr = 1e-3, weight_decay = 0, clip = 5;
  std::string schedule = "constant";  // of lr: constant, or linear or cosine down to 0 after the last epoch
  double average = 0;                 // decay of the moving average of parameters that is judged; 0: none
  uint64_t seed = 1;
  std::string device = "cpu", precision = "f32";
  int threads = 2;
  int ahead = 0;
  int limit = 0;             // trains on so many examples only; 0: on all
  double save_every = 0;     // minutes between checkpoints inside an epoch; 0: only where an epoch ends
  int keep_checkpoints = 0;  // how many of the latest checkpoints stay beside last.safetensors

  void add_to(Fields& fields);
  EngineOptions engine() const;
};

class TrainingTask {
 public:
  virtual ~TrainingTask() = default;

  TrainSettings training;
  std::string data;  // the folder with the data sets, or a file; empty: the usual place

  virtual void settings(Fields&) {}  // those of the model and of its data

  // ---- data. A file that is not there or not sound is a DataError.
  virtual void read() = 0;                             // to train on, to be judged on, and what follows: vocabulary
  virtual void read_dev(const std::string& path) = 0;  // to be judged on: instead of what read() would take
  virtual void read_dev() = 0;                         // to be judged on: as read() takes them
  virtual void save(io::Meta&) const {}                // what predict needs beyond the settings: vocabulary, labels
  virtual void restore(const io::Meta&) {}

  // ---- model
  virtual void build(Scope p) = 0;         // after read() or restore()
  virtual void initialise() {}             // values from files, such as word vectors: before training only
  virtual void tune(optim::Optimizer&) {}  // groups with a rate of their own

  // ---- training
  virtual size_t train_size() const = 0;
  virtual size_t dev_size() const = 0;
  virtual std::vector<Minibatch> epoch(uint64_t number) const;
  virtual Batch<std::vector<Expr>> record(Engine& engine, const Minibatch& minibatch) = 0;  // the losses of each
  virtual Evaluation evaluate(Engine& engine) = 0;                                          // on dev
  // What record() calls for each example, for whoever prepares minibatches ahead; null: it waits for values.
  using Losses = std::function<std::vector<Expr>(Graph&, uint64_t id)>;
  virtual Losses losses_by_id() const = 0;
  virtual std::vector<uint32_t> sizes(const Minibatch& minibatch) const = 0;  // so that threads get equal shares

  // ---- predicting
  // One answer for each line, {"error": …} for what is not sound. What a line holds: TaskKind::line.
  virtual std::vector<Json> predict(Engine& engine, std::span<const std::string> lines) = 0;
};

// Scores by name; a breakdown is an object of scores by variant. As in the log and on stdout.
Json scores_json(const Evaluation& evaluation);

struct TaskKind {
  std::string name;
  std::string what;    // the task and the model, in one line
  std::string paper;   // where the model is from
  std::string data;    // the files in the data folder, or "generated"
  std::string line;    // what predict reads in a line
  std::string metric;  // the score that decides
  bool higher_is_better;
  std::string published{};  // figure and source; empty: none
  std::function<std::unique_ptr<TrainingTask>()> make;
};

template <class Task>
std::unique_ptr<TrainingTask> make_task() {
  return std::make_unique<Task>();
}

const std::vector<TaskKind>& task_kinds();         // in the order in which they are listed
const TaskKind& task_kind(std::string_view name);  // Error: there is none, and which one is near

// A file of the data folder: DataError where it is not there, which says what it is and where to get it.
std::string data_file(const std::string& data, const std::string& name);

}  // namespace espalier::app
