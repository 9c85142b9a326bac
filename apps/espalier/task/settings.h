// Settings as JSON, and as flags.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

#include "task/training_task.h"

namespace espalier::app {

// All settings of a task: those of its data, of its training and of its model.
void each_setting(TrainingTask& task, Fields& fields);

Json settings_of(TrainingTask& task);

// Sets those that are there. An Error names one that the task does not have, with the nearest that it has, or that has
// another type or range; nothing has changed then.
void set_settings(TrainingTask& task, const Json& values);

// Adds a flag for each setting. Those given are put into *given, which outlives the App.
void add_flags(CLI::App& app, TrainingTask& task, Json* given);

}  // namespace espalier::app
