// Settings as JSON and as command-line flags.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

#include "task/training_task.h"

namespace espalier::app {

// Visits all settings of a task: data, model and training.
void each_setting(TrainingTask& task, Fields& fields);

Json settings_of(TrainingTask& task);

// Sets the given settings. Error: an unknown name (with a suggestion), or a value of the wrong type or out of range; no
// setting has changed then.
void set_settings(TrainingTask& task, const Json& values);

// Adds a flag for each setting. Parsing puts the values given by the user into *given, which must outlive `app`.
void add_flags(CLI::App& app, TrainingTask& task, Json* given);

}  // namespace espalier::app
