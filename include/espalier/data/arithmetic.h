// Arithmetic expressions as trees: ( + ( ( - ( 7 8 ) ) -9 ) ) is 7 - 8 + -9. Each line of the published file
// (nyu-mll/spinn, simple7) holds a value, a tab and an expression. The lines are sorted by value, so shuffle them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/binary_tree.h>
#include <espalier/text/lines.h>

namespace espalier::data::arithmetic {

inline constexpr int largest = 10;  // numbers are -10 … 10; so are the labels of the published file
inline constexpr int labels = 2 * largest + 1;
inline constexpr int tokens = labels + 3;  // the numbers, then + - *

// Operands precede their operator; the root is the last node.
struct Expression {
  struct Node {
    char op = 0;                   // '+', '-' or '*'; 0: a number
    int value = 0;                 // value of this subtree
    uint32_t left = 0, right = 0;  // operators only
    bool is_number() const { return op == 0; }
    // Vocabulary index: 0 … 20 are the numbers -10 … 10, then + - *.
    int token() const { return is_number() ? value + largest : labels + (op == '+' ? 0 : op == '-' ? 1 : 2); }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;  // functions in this header never return an empty list

  uint32_t root() const { return static_cast<uint32_t>(nodes.size()) - 1; }
  int value() const { return nodes.back().value; }
  bool operator==(const Expression&) const = default;
};

// prefix: ( + ( 1 ( - ( 2 3 ) ) ) ), the published form; infix: 1 + (2 - 3)
enum class Form { prefix, infix };
ESPALIER_API std::string to_text(const Expression&, Form = Form::prefix);
// Parses either form. In the infix form, * binds more tightly than + and -, and operators are left-associative.
// DataError: a syntax error, a number outside -10 … 10, or a value beyond a million.
ESPALIER_API Expression parse(std::string_view text, std::string_view name = "arithmetic");

// One expression per line, optionally preceded by its value and a tab. A label that differs from the value is a
// DataError. Empty lines are skipped.
ESPALIER_API bool next(Lines&, Expression&);
ESPALIER_API std::vector<Expression> read(Lines);

// The binary tree of the prefix form: every pair of parentheses joins two nodes. Leaves are tokens.
ESPALIER_API binary_tree::Tree binarise(const Expression&);

struct Options {
  int max_operators = 3;             // uniform in 1 … max_operators
  std::string_view ops = "+-";       // operators to draw from
  int smallest = -10, biggest = 10;  // range of the numbers
  bool bounded = true;               // limits the value to -10 … 10
};

// Expression `index` of this seed; the same on every platform. Throws Error if the options allow no expression.
ESPALIER_API Expression draw(uint64_t seed, uint64_t index, const Options& = {});
// The first n distinct expressions of this seed. Throws Error if fewer than n exist.
ESPALIER_API std::vector<Expression> generate(size_t n, uint64_t seed, const Options& = {});
// Expressions as typed into a calculator: digits 0 … 9, all operators, unbounded value.
inline constexpr Options calculator{.max_operators = 5, .ops = "+-*", .smallest = 0, .biggest = 9, .bounded = false};

}  // namespace espalier::data::arithmetic
