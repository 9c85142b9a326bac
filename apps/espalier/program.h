// The main function of a program: parses the command line, runs the command it names, and turns exceptions into
// messages on stderr and an exit status.
#pragma once
#include "command.h"

namespace espalier::app {

// `add` declares options and subcommands, as the functions of command.h do.
int run_program(int argc, char** argv, const char* name, const char* what, void (*add)(CLI::App&, Command*));

}  // namespace espalier::app
