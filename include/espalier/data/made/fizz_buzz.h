// Fizz-buzz: a number, and what a child says in its place.
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

// fizz for a multiple of 3, buzz for one of 5.
constexpr int answer(int number) { return (number % 3 == 0 ? 1 : 0) + (number % 5 == 0 ? 2 : 0); }

struct Number {
  int number = 0, answer = 0;
  bool operator==(const Number&) const = default;
};

// n numbers from first … last, all as likely; number i follows from (seed, i). The same on every platform. An Error
// unless 0 ≤ first ≤ last.
ESPALIER_API std::vector<Number> generate(size_t n, uint64_t seed, int first = 101, int last = 1023);

}  // namespace espalier::data::fizz_buzz
