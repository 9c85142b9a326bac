// What parsing, reading and generating arithmetic share.
#pragma once

#include <cstdlib>
#include <string_view>

#include <espalier/data/arithmetic.h>

#include "data/reading/place.h"

namespace espalier::data::arithmetic {

inline constexpr int largest_part = 1'000'000;

// Adds an operation on two nodes. False, and nothing added: it is worth more than the largest part.
inline bool add_operation(Expression& to, char op, uint32_t left, uint32_t right) {
  const int64_t a = to.nodes[left].value, b = to.nodes[right].value;
  const int64_t value = op == '+' ? a + b : op == '-' ? a - b : a * b;
  if (std::abs(value) > largest_part) return false;
  to.nodes.push_back({op, static_cast<int>(value), left, right});
  return true;
}

Expression parse_from(std::string_view text, const Place& at);

}  // namespace espalier::data::arithmetic
