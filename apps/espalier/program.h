// The frame of a program: reads the command line, runs the command that it names, and turns exceptions into messages on
// stderr and an exit status.
#pragma once
#include "command.h"

namespace espalier::app {

// `add` declares options and subcommands, as the functions of command.h do.
int run_program(int argc, char** argv, const char* name, const char* what, void (*add)(CLI::App&, Command*));

}  // namespace espalier::app
