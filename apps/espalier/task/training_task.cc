#include "task/training_task.h"

#include <algorithm>

namespace espalier::app {

void TrainSettings::add_to(Fields& f) {
  f.add("epochs", epochs, 1, "Maximum number of epochs");
  f.add("patience", patience, 0, "Stop after this many epochs without a better dev score; 0 disables early stopping");
  f.add("batch", batch, 1, "Examples per minibatch");
  f.add("optimizer", optimizer, {"adam", "adamw", "adagrad", "sgd", "momentum", "rmsprop", "adadelta"}, "Optimiser");
  f.add("lr", lr, {}, "Learning rate");
  f.add("schedule", schedule, {"constant", "linear", "cosine"},
        "Learning-rate schedule; linear and cosine fall to 0 after the last epoch");
  f.add("weight-decay", weight_decay, {}, "Weight decay");
  f.add("clip", clip, {}, "Maximum gradient norm; 0 disables clipping");
  f.add("average", average, {0, 0.999999},
        "Decay of the parameters' moving average, which is evaluated and saved; 0 disables it");
  f.add("seed", seed, "Random seed");
  f.add("device", device, {"cpu", "cuda"}, "Device");
  f.add("precision", precision, {"f32", "tf32", "bf16"}, "Precision of matrix products on a GPU");
  f.add("threads", threads, 1, "Number of threads; results are bit-identical only for the same number");
  f.add("ahead", ahead, 0, "Threads that prepare minibatches ahead of the running one; results do not change");
  f.add("keep-recordings", keep_recordings,
        "Record each training example once, and replay it in later epochs; results do not change");
  f.add("save-every", save_every, {}, "Minutes between checkpoints within an epoch; 0: only at the end of an epoch");
  f.add("keep-checkpoints", keep_checkpoints, 0, "Number of latest checkpoints to keep as step-N.safetensors");
  f.add("limit", limit, 0, "Train on the first N examples only; 0: on all");
}

EngineOptions TrainSettings::engine() const {
  return {.device = device == "cuda" ? Device::cuda() : Device::cpu(),
          .precision = precision == "bf16"   ? Precision::bf16
                       : precision == "tf32" ? Precision::tf32
                                             : Precision::f32,
          .threads = threads,
          .seed = seed};
}

std::string name(Part part) { return part == Part::train ? "train" : part == Part::dev ? "dev" : "test"; }

void Folds::add_to(Fields& f) {
  f.add("folds", count, 1, "Cross-validation with this many folds, each in its own run; 1: one division");
  f.add("fold", chosen, 0, "Train only this fold, 1 to --folds; 0: all of them, one after the other");
}

Metric metric_of(const TaskKind& kind, const TrainingTask& task) {
  return task.metric().value_or(Metric{kind.metric, kind.higher_is_better});
}

void TrainingTask::read_part(Part part) {
  if (part != Part::dev)
    throw Error("this task has no part '" + name(part) + "'; to evaluate other examples, give a file after the run");
  read_dev();
}

std::vector<Minibatch> TrainingTask::epoch(uint64_t number) const {
  const size_t examples =
      training.limit > 0 ? std::min(train_size(), static_cast<size_t>(training.limit)) : train_size();
  return train::minibatches(examples, static_cast<size_t>(training.batch), training.seed, number);
}

Json scores_json(const Evaluation& evaluation) {
  Json json = Json::object();
  for (const auto& [name, value] : evaluation.scores) json[name] = value;
  for (const Breakdown& breakdown : evaluation.breakdowns)
    for (const auto& [variant, value] : breakdown.scores) json[breakdown.name][variant] = value;
  return json;
}

}  // namespace espalier::app
