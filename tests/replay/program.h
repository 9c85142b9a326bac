// Programs as text, which python/tests/programs/random_program.py writes: cells, and the lines of each example.
// Replaying one records it with the C++ functions.
#pragma once
#include <istream>
#include <string>
#include <vector>

#include "replay/arguments.h"

namespace espalier::replay {

struct Line {
  std::string function;  // "call.NAME" calls a cell
  std::vector<Token> arguments;
};

struct CellArgument {
  char kind = 'r';  // r: row, i: index, f: number, l: list of rows, s: State, t: list of States
  std::string name;
  Shape shape;
};

struct CellProgram {
  std::string name;
  std::vector<CellArgument> arguments;
  std::vector<Line> lines;
  std::vector<size_t> results;  // numbers of values
};

struct ExampleProgram {
  std::vector<Line> lines;
  std::vector<size_t> outputs;
  size_t loss = 0;
};

struct Program {
  uint64_t seed = 0;  // of the parameters; that of the engine is one more
  int threads = 1;
  std::vector<CellProgram> cells;
  std::vector<ExampleProgram> examples;
};

// False at the end of the stream.
bool read(std::istream& in, Program& program);

// The recorded graphs with their cells, and the bits of all values and gradients.
std::string replay(const Program& program);

}  // namespace espalier::replay
