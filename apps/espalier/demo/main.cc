// `espalier demo` without the parts of the program and the library that it does not need: ./dev demo builds it in a
// third of the time.
#include "demo/demo.h"

int main(int argc, char** argv) { return espalier::app::demo_program(argc, argv); }
