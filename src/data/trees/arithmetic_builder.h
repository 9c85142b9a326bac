// add_operation and parse_from: shared by parsing, reading and generating arithmetic expressions.
#pragma once

#include <cstdlib>
#include <string_view>

#include <espalier/data/arithmetic.h>

#include "text/file_position.h"

namespace espalier::data::arithmetic {

inline constexpr int largest_part = 1'000'000;

// Adds an operation on two nodes. Returns false and adds nothing if its value exceeds ±largest_part.
inline bool add_operation(Expression& to, char op, uint32_t left, uint32_t right) {
  const int64_t a = to.nodes[left].value, b = to.nodes[right].value;
  const int64_t value = op == '+' ? a + b : op == '-' ? a - b : a * b;
  if (std::abs(value) > largest_part) return false;
  to.nodes.push_back({op, static_cast<int>(value), left, right});
  return true;
}

Expression parse_from(std::string_view text, const FilePosition& at);

}  // namespace espalier::data::arithmetic
