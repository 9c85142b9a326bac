// The main function of `espalier demo` as a separate program.
#pragma once

namespace espalier::app {

int demo_program(int argc, char** argv);

}  // namespace espalier::app
