// A random program as data: short enough for one line, and such that any part of it is a program again, so that a
// failure can be shrunk by leaving lines out.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::law {

// What to do, and with which of the values so far. Any number is valid: it is taken modulo what there is.
struct Line {
  uint16_t what = 0, a = 0, b = 0, c = 0;
};

struct Recipe {
  uint64_t numbers = 0;  // seed of parameters, inputs and choices that are no part of the program
  std::vector<std::vector<Line>> examples;
};

Recipe random_recipe(uint64_t seed);
std::string print(const Recipe& recipe);     // "7:12.3.0.1,4.0.0.2/5.1.1.1"
Recipe parse_recipe(std::string_view text);  // DataError: says which column

// The smallest recipe that still fails, as far as leaving out examples and lines gets.
template <class Fails>
Recipe shrink(Recipe recipe, Fails&& fails) {
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
  auto still = [&] { return fails(recipe); };
  try_without(recipe.examples, still);
  for (size_t e = 0; e < recipe.examples.size(); ++e) try_without(recipe.examples[e], still);
  return recipe;
}

}  // namespace espalier::law
