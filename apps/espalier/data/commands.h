// The subcommands of `espalier data`.
#pragma once
#include "command.h"

namespace espalier::app {

void add_data_get(CLI::App& data, Command* chosen);
void add_data_list(CLI::App& data, Command* chosen);
void add_data_make(CLI::App& data, Command* chosen);

}  // namespace espalier::app
