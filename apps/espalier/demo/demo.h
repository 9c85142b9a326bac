// `espalier demo` as a program of its own.
#pragma once

namespace espalier::app {

int demo_program(int argc, char** argv);

}  // namespace espalier::app
