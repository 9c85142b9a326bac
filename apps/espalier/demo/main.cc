// `espalier demo` as a separate program, linked only with the components it needs: ./dev demo builds it in a third of
// the time.
#include "demo/demo.h"

int main(int argc, char** argv) { return espalier::app::demo_program(argc, argv); }
