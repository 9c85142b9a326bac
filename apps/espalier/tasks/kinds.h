// What each file of this folder declares.
#pragma once
#include "task/training_task.h"

namespace espalier::app {

TaskKind sentiment_kind();

}  // namespace espalier::app
