// Pairs of propositional formulas and how the one bears on the other (Bowman, Potts & Manning 2015), such as
//   <	( a ( and b ) )	( not ( ( not a ) ( and c ) ) )
// The relation follows from the truth tables, and is checked when read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/binary_tree.h>
#include <espalier/data/lines.h>

namespace espalier::data::logic {

// Tokens: the variables a … f are 0 … 5, then the operators.
inline constexpr int variables = 6, not_token = 6, and_token = 7, or_token = 8, tokens = 9;
inline constexpr std::array<std::string_view, tokens> token_names{"a", "b", "c", "d", "e", "f", "not", "and", "or"};

// Of the seven the first that holds: equivalent, opposite (one is the other's negation), entails, is entailed by, never
// both, always one of both, independent. A number is the place in the names.
inline constexpr int relations = 7;
inline constexpr std::array<std::string_view, relations> relation_names{"=", "^", "<", ">", "|", "v", "#"};

// Operands stand before their operator, the root last.
struct ESPALIER_API Formula {
  struct Node {
    int token = 0;
    uint32_t left = 0, right = 0;  // of and, or; `not` has only a right one
    bool is_variable() const { return token < variables; }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;  // never empty in what this header returns

  uint32_t root() const { return static_cast<uint32_t>(nodes.size()) - 1; }
  size_t operators() const;  // what the published files call the length, of the longer formula of a pair
  // Bit i: whether it is true where variable v has the value of bit v of i.
  uint64_t truth() const;
  bool operator==(const Formula&) const = default;
};

struct Pair {
  Formula left, right;
  int relation = 0;
  bool operator==(const Pair&) const = default;
};

ESPALIER_API int relation(const Formula& left, const Formula& right);
ESPALIER_API std::string to_text(const Formula&);

// A formula; a pair, with its relation before it or without, between tabs. DataError: anything else, and a relation
// that is another.
ESPALIER_API Formula parse_formula(std::string_view text, std::string_view name = "logic");
ESPALIER_API Pair parse(std::string_view line, std::string_view name = "logic");

// One pair a line; empty lines are skipped.
ESPALIER_API bool next(Lines&, Pair&);
ESPALIER_API std::vector<Pair> read(Lines);

// The tree that the text writes: every parenthesis joins two. Leaves are tokens.
ESPALIER_API binary_tree::Tree binarise(const Formula&);

struct Options {
  int max_operators = 6;  // of a formula: 0 … this many, all as likely
  int variables = 4;      // that the formulas of one pair are made of
};

// Pair `index` of a seed, on every platform. No formula is always true or never; somewhat less than half of the pairs
// are independent.
ESPALIER_API Pair draw(uint64_t seed, uint64_t index, const Options& = {});
// The first n of them of which no two are equal. An Error if there are not so many.
ESPALIER_API std::vector<Pair> generate(size_t n, uint64_t seed, const Options& = {});

}  // namespace espalier::data::logic
