// The task stored in a checkpoint: its name, settings, vocabulary and labels. They make a checkpoint self-contained.
#pragma once
#include <memory>
#include <string>

#include "task/training_task.h"

namespace espalier::app {

io::Meta checkpoint_meta(const TaskKind& kind, TrainingTask& task);

// A trained task, loaded from a checkpoint.
struct Loaded {
  const TaskKind* kind;
  std::unique_ptr<TrainingTask> task;
  Parameters params;
};
// `path`: a checkpoint, or the folder of a run, whose best checkpoint is loaded. DataError: the file is invalid, is not
// the checkpoint of a task, or has non-finite parameters. load_task and open_task print a note on stderr if the file
// has no checksums.
Loaded load_task(const std::string& path);

// The task, with settings and vocabulary but without a model.
Loaded open_task(const std::string& path);

}  // namespace espalier::app
