// Fizz-buzz: classifies a number as itself, fizz, buzz or fizzbuzz.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::data::fizz_buzz {

inline constexpr int answers = 4;
inline constexpr std::array<std::string_view, answers> answer_names{"the number", "fizz", "buzz", "fizzbuzz"};

// Index into answer_names: fizz for a multiple of 3, buzz for a multiple of 5, fizzbuzz for both.
constexpr int answer(int number) { return (number % 3 == 0 ? 1 : 0) + (number % 5 == 0 ? 2 : 0); }

struct Number {
  int number = 0, answer = 0;
  bool operator==(const Number&) const = default;
};

// n uniform numbers from first … last; number i depends only on (seed, i). The same on every platform. Throws Error
// unless 0 ≤ first ≤ last.
ESPALIER_API std::vector<Number> generate(size_t n, uint64_t seed, int first = 101, int last = 1023);

}  // namespace espalier::data::fizz_buzz
