// What each file of this folder declares.
#pragma once
#include "task/training_task.h"

namespace espalier::app {

TaskKind listops_kind();
TaskKind sentiment_kind();
TaskKind esol_kind();
TaskKind lipophilicity_kind();
TaskKind bbbp_kind();
TaskKind tox21_kind();
TaskKind addition_kind();
TaskKind multiplication_kind();
TaskKind mutagenesis_kind();

}  // namespace espalier::app
