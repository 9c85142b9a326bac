// RandomProgram: a random program as data that prints on one line. Any subset of its lines is a valid program, so a
// failure can be shrunk by removing lines.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::law {

// An operation and its operands among the values so far. Any number is valid: it is taken modulo the available choices.
struct Line {
  uint16_t what = 0, a = 0, b = 0, c = 0;
};

struct RandomProgram {
  uint64_t numbers = 0;  // seed of parameters, inputs and choices that are not part of the program
  std::vector<std::vector<Line>> examples;
};

RandomProgram random_program(uint64_t seed);
std::string print(const RandomProgram& program);            // "7:12.3.0.1,4.0.0.2/5.1.1.1"
RandomProgram parse_random_program(std::string_view text);  // DataError with the column

// Removes examples and lines as long as the program still fails.
template <class Fails>
RandomProgram shrink(RandomProgram program, Fails&& fails) {
  auto try_without = [&](auto& list, auto&& again) {
    for (size_t size = (list.size() + 1) / 2; size > 0; size = size == 1 ? 0 : (size + 1) / 2)
      for (size_t at = 0; at < list.size();) {
        const auto before = list;
        const size_t end = at + size < list.size() ? at + size : list.size();
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(at), list.begin() + static_cast<std::ptrdiff_t>(end));
        if (again()) continue;
        list = before;
        at += size;
      }
  };
  auto still = [&] { return fails(program); };
  try_without(program.examples, still);
  for (size_t e = 0; e < program.examples.size(); ++e) try_without(program.examples[e], still);
  return program;
}

}  // namespace espalier::law
