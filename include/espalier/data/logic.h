// Pairs of propositional formulas with their logical relation (Bowman, Potts & Manning 2015), such as
//   <	( a ( and b ) )	( not ( ( not a ) ( and c ) ) )
// Readers check the relation against the truth tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/binary_tree.h>
#include <espalier/text/lines.h>

namespace espalier::data::logic {

// Tokens: the variables a … f are 0 … 5, then the operators.
inline constexpr int variables = 6, not_token = 6, and_token = 7, or_token = 8, tokens = 9;
inline constexpr std::array<std::string_view, tokens> token_names{"a", "b", "c", "d", "e", "f", "not", "and", "or"};

// The relation of a pair is the first of these that holds: equivalence, negation, forward entailment, reverse
// entailment, alternation (never both true), cover (never both false), independence. It is an index into
// relation_names.
inline constexpr int relations = 7;
inline constexpr std::array<std::string_view, relations> relation_names{"=", "^", "<", ">", "|", "v", "#"};

// Operands precede their operator; the root is the last node.
struct ESPALIER_API Formula {
  struct Node {
    int token = 0;
    uint32_t left = 0, right = 0;  // operators only; `not` uses only `right`
    bool is_variable() const { return token < variables; }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;  // functions in this header never return an empty list

  uint32_t root() const { return static_cast<uint32_t>(nodes.size()) - 1; }
  size_t operators() const;  // the published files are split by the larger count of each pair
  // Truth table: bit i is the value of the formula where variable v has the value of bit v of i.
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

// Parses a formula, or a tab-separated pair, optionally preceded by its relation. DataError: a syntax error or a wrong
// relation.
ESPALIER_API Formula parse_formula(std::string_view text, std::string_view name = "logic");
ESPALIER_API Pair parse(std::string_view line, std::string_view name = "logic");

// One pair per line; empty lines are skipped.
ESPALIER_API bool next(Lines&, Pair&);
ESPALIER_API std::vector<Pair> read(Lines);

// The binary tree of the text form: every pair of parentheses joins two nodes. Leaves are tokens.
ESPALIER_API binary_tree::Tree binarise(const Formula&);

struct Options {
  int max_operators = 6;  // operators per formula: uniform in 0 … max_operators
  int variables = 4;      // distinct variables available to one pair
};

// Pair `index` of this seed; the same on every platform. No formula is a tautology or a contradiction; somewhat less
// than half of the pairs are independent.
ESPALIER_API Pair draw(uint64_t seed, uint64_t index, const Options& = {});
// The first n distinct pairs of this seed. Throws Error if fewer than n exist.
ESPALIER_API std::vector<Pair> generate(size_t n, uint64_t seed, const Options& = {});

}  // namespace espalier::data::logic
