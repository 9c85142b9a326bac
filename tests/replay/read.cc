#include <istream>

#include "replay/program.h"

namespace espalier::replay {
namespace {

template <class T>
T next(std::istream& in) {
  T value{};
  if (!(in >> value)) throw DataError("replay: the program ends early");
  return value;
}
float next_float(std::istream& in) { return std::stof(next<std::string>(in)); }

template <class T, class Read>
std::vector<T> list(std::istream& in, Read read_one) {
  std::vector<T> all(next<size_t>(in));
  for (T& one : all) one = read_one(in);
  return all;
}
std::vector<int> sizes(std::istream& in) { return list<int>(in, next<int>); }
std::vector<size_t> value_numbers(std::istream& in) { return list<size_t>(in, next<size_t>); }

Token token(std::istream& in) {
  const auto word = next<std::string>(in);
  Token t;
  t.kind = word[0];
  switch (t.kind) {
    case 'v':
    case 'i':
    case 'b':
      t.integer = std::stoll(word.substr(1));
      break;
    case 'f':
      t.number = static_cast<float>(std::stod(word.substr(1)));
      break;
    case 'p':
      t.name = word.substr(2);
      break;
    case 's':
      t.sizes = sizes(in);
      break;
    case 'a':
      t.sizes = sizes(in);
      t.numbers = list<float>(in, next_float);
      break;
    case 'l':
      t.items = list<Token>(in, token);
      break;
    case 'S':
      t.items = {token(in), token(in)};
      break;
    default:
      break;
  }
  return t;
}

Line line(std::istream& in) {
  Line l;
  l.function = next<std::string>(in);
  l.arguments = list<Token>(in, token);
  return l;
}

}  // namespace

bool read(std::istream& in, Program& program) {
  program = {};
  std::string word;
  if (!(in >> word)) return false;
  program.seed = next<uint64_t>(in);
  program.threads = next<int>(in);
  std::vector<Line>* lines = nullptr;  // of the cell or example that is being read
  while ((word = next<std::string>(in)) != "end") {
    if (word == "cell") {
      program.cells.emplace_back().name = next<std::string>(in);
      lines = &program.cells.back().lines;
    } else if (word == "argument") {
      CellArgument& a = program.cells.back().arguments.emplace_back();
      a.kind = next<char>(in);
      a.name = next<std::string>(in);
      const std::vector<int> shape = sizes(in);
      a.shape = Shape::of(shape.data(), static_cast<int>(shape.size()));
    } else if (word == "return") {
      program.cells.back().results = value_numbers(in);
    } else if (word == "example") {
      lines = &program.examples.emplace_back().lines;
    } else if (word == "output") {
      program.examples.back().outputs = value_numbers(in);
    } else if (word == "loss") {
      program.examples.back().loss = next<size_t>(in);
    } else if (word == "line") {
      lines->push_back(line(in));
    } else {
      throw DataError("replay: '" + word + "' is no part of a program");
    }
  }
  return true;
}

}  // namespace espalier::replay
