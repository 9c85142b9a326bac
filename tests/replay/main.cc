// Replays the programs of standard input and prints, for each, what was recorded and computed. The Python tests compare
// this text with what they record and compute.
#include <cstdio>
#include <exception>
#include <iostream>

#include "replay/program.h"

int main() {
  using namespace espalier::replay;
  try {
    std::ios::sync_with_stdio(false);
    Program program;
    while (read(std::cin, program)) std::cout << "program " << program.seed << "\n" << replay(program);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
