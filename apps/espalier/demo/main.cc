// `espalier demo` alone, without the parts of the program and the library that it does not need: ./dev demo builds it in
// a third of the time.
#include "demo/demo.h"
#include "program.h"

int main(int argc, char** argv) {
  using namespace espalier::app;
  return run_program(argc, argv, "espalier_demo", demo_what, add_demo_options);
}
