// The options of the demo, for `espalier demo` and for a program that is nothing but the demo.
#pragma once
#include "command.h"

namespace espalier::app {

constexpr const char* demo_what = "Train a small model and show how it was batched";
void add_demo_options(CLI::App& app, Command* chosen);

}  // namespace espalier::app
