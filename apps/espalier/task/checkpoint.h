// A task in a checkpoint: which one, its settings, its vocabulary and labels. With these a file is all that is needed.
#pragma once
#include <memory>
#include <string>

#include "task/training_task.h"

namespace espalier::app {

io::Meta checkpoint_meta(const TaskKind& kind, TrainingTask& task);

// A trained task, as it lies in a checkpoint.
struct Loaded {
  const TaskKind* kind;
  std::unique_ptr<TrainingTask> task;
  Parameters params;
};
// DataError: the file is not valid, is no checkpoint of a task, or has non-finite numbers. A file without checksums is
// noted on stderr, here and in open_task.
Loaded load_task(const std::string& path);

// The task, with settings and vocabulary but without a model.
Loaded open_task(const std::string& path);

}  // namespace espalier::app
