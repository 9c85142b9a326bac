#include "task/training_task.h"

#include <algorithm>

namespace espalier::app {

void TrainSettings::add_to(Fields& f) {
  f.add("epochs", epochs, 1, "How often each example is seen");
  f.add("patience", patience, 0, "Epochs without a better dev score after which it stops; 0: all are run");
  f.add("batch", batch, 1, "Examples in a minibatch");
  f.add("optimizer", optimizer, {"adam", "adamw", "adagrad", "sgd", "momentum", "rmsprop", "adadelta"},
        "The rule of the updates");
  f.add("lr", lr, {}, "Learning rate");
  f.add("schedule", schedule, {"constant", "linear", "cosine"}, "Of the rate, down to 0 after the last epoch");
  f.add("weight-decay", weight_decay, {}, "Weight decay");
  f.add("clip", clip, {}, "Largest norm of the gradients; 0: any");
  f.add("average", average, {0, 0.999999}, "Decay of the moving average that is judged and saved; 0: none");
  f.add("seed", seed, "What all that is random follows from");
  f.add("device", device, {"cpu", "cuda"}, "What computes");
  f.add("precision", precision, {"f32", "tf32", "bf16"}, "Of products, on a GPU");
  f.add("threads", threads, 1, "Threads; results are the same to the bit for as many threads only");
  f.add("ahead", ahead, 0, "Threads that prepare minibatches ahead of the one that runs; they change no result");
  f.add("save-every", save_every, {}, "Minutes between checkpoints inside an epoch; 0: only where an epoch ends");
  f.add("keep-checkpoints", keep_checkpoints, 0, "How many of the latest checkpoints stay as step-N.safetensors");
  f.add("limit", limit, 0, "Trains on so many examples only; 0: on all");
}

EngineOptions TrainSettings::engine() const {
  return {.device = device == "cuda" ? Device::cuda() : Device::cpu(),
          .precision = precision == "bf16"   ? Precision::bf16
                       : precision == "tf32" ? Precision::tf32
                                             : Precision::f32,
          .threads = threads,
          .seed = seed};
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
