// Arithmetic as trees: ( + ( ( - ( 7 8 ) ) -9 ) ) is 7 - 8 + -9. The published file (nyu-mll/spinn, simple7) has one
// expression a line after its value and a tab, sorted by value: shuffle what is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/binary_tree.h>
#include <espalier/data/lines.h>

namespace espalier::data::arithmetic {

inline constexpr int largest = 10;  // numbers are -10 … 10, and labels as published
inline constexpr int labels = 2 * largest + 1;
inline constexpr int tokens = labels + 3;  // the numbers, then + - *

// Operands stand before their operator, the root last.
struct Expression {
  struct Node {
    char op = 0;                   // '+', '-' or '*'; 0: a number
    int value = 0;                 // what this part is worth
    uint32_t left = 0, right = 0;  // of an operator
    bool is_number() const { return op == 0; }
    // Its place in the vocabulary: 0 … 20 are the numbers -10 … 10.
    int token() const { return is_number() ? value + largest : labels + (op == '+' ? 0 : op == '-' ? 1 : 2); }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;  // never empty in what this header returns

  uint32_t root() const { return static_cast<uint32_t>(nodes.size()) - 1; }
  int value() const { return nodes.back().value; }
  bool operator==(const Expression&) const = default;
};

// prefix: ( + ( 1 ( - ( 2 3 ) ) ) ), as published; infix: 1 + (2 - 3)
enum class Form { prefix, infix };
ESPALIER_API std::string to_text(const Expression&, Form = Form::prefix);
// Either form; in the infix form * binds more tightly, and equal operators from the left. DataError: anything else,
// numbers outside of -10 … 10, a value beyond a million.
ESPALIER_API Expression parse(std::string_view text, std::string_view name = "arithmetic");

// One expression a line, after its value and a tab, or bare. A label that is not the value is a DataError, whatever
// its size; empty lines are skipped.
ESPALIER_API bool next(Lines&, Expression&);
ESPALIER_API std::vector<Expression> read(Lines);

// The tree that the prefix form writes: every parenthesis joins two. Leaves are tokens.
ESPALIER_API binary_tree::Tree binarise(const Expression&);

struct Options {
  int max_operators = 3;             // 1 … this many, all as likely
  std::string_view ops = "+-";       // those drawn from
  int smallest = -10, biggest = 10;  // the numbers drawn from
  bool bounded = true;               // the value is -10 … 10
};

// Expression `index` of a seed, on every platform. An Error if the options allow none.
ESPALIER_API Expression draw(uint64_t seed, uint64_t index, const Options& = {});
// The first n of them of which no two are equal. An Error if there are not so many.
ESPALIER_API std::vector<Expression> generate(size_t n, uint64_t seed, const Options& = {});
// What a calculator is given: digits 0 … 9, all operators, whatever comes out.
inline constexpr Options calculator{.max_operators = 5, .ops = "+-*", .smallest = 0, .biggest = 9, .bounded = false};

}  // namespace espalier::data::arithmetic
