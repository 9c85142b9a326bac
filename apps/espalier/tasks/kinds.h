// What each file of this folder declares.
#pragma once
#include "task/training_task.h"

namespace espalier::app {

TaskKind listops_kind();
TaskKind sentiment_kind();

}  // namespace espalier::app
