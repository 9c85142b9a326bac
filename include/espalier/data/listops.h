// ListOps (Nangia & Bowman, NAACL 2018): nested lists of digits whose value takes the whole tree to
// find, such as [MAX 2 9 [MIN 4 7 ] 0 ]. Expressions as flat trees: read, written, generated, and
// binarised for a binary Tree-LSTM. Nothing here recurses: nesting is limited by memory alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/lines.h>

namespace espalier::data::listops {

// A token is its place in the vocabulary: the digits are 0 … 9, then the operators, then "]".
enum class Op : uint8_t { max = 10, min, med, sm };  // med: median, rounded down; sm: sum modulo 10
inline constexpr int close_token = 14;
inline constexpr int tokens = 15;
ESPALIER_API std::span<const std::string_view, tokens> vocabulary();  // "0" … "9" "[MAX" … "]"

// What an operator makes of its arguments: one or more digits.
ESPALIER_API int evaluate(Op, std::span<const int> args);

// A tree of any arity. Arguments stand before their operator, the root last, so that a loop over
// the nodes meets every argument before its reader, and recursion over args(i) works as well.
struct ESPALIER_API Expression {
  struct Node {
    int token = 0;                  // a digit or an Op
    int value = 0;                  // what this part evaluates to: 0 … 9
    uint32_t first = 0, count = 0;  // its part of `lists`
    bool is_digit() const { return token < 10; }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;      // never empty in what this header returns
  std::vector<uint32_t> lists;  // the arguments of all nodes, as node numbers

  uint32_t root() const { return static_cast<uint32_t>(nodes.size()) - 1; }
  std::span<const uint32_t> args(uint32_t node) const { return {lists.data() + nodes[node].first, nodes[node].count}; }
  int value() const { return nodes.back().value; }
  size_t length() const;  // in tokens: a digit is one, an operator two (it is closed)
  size_t depth() const;   // in levels: 1 for a digit
  bool operator==(const Expression&) const = default;
};

// From the digits up, whatever the stored values say.
ESPALIER_API int evaluate(const Expression&);

// plain:     [MAX 2 9 0 ]
// binarised: ( ( ( ( [MAX 2 ) 9 ) 0 ) ] ), the form of the published files
enum class Form { plain, binarised };
ESPALIER_API std::string to_text(const Expression&, Form = Form::plain);

// Either form; parentheses must match but mean nothing beyond what the brackets say. `name` begins
// the message of a DataError: "listops:1:7: …", with line and column (in bytes) from 1.
ESPALIER_API Expression parse(std::string_view text, std::string_view name = "listops");

// One expression a line, after a label and a tab as published, or bare. A label that is not the
// expression's value is a DataError; empty lines are skipped.
ESPALIER_API bool next(Lines&, Expression&);
ESPALIER_API std::vector<Expression> read(Lines);
inline std::vector<Expression> read(std::istream& lines, std::string_view name = "listops") {
  return read(Lines(lines, name));
}

struct Options {
  int max_depth = 20;     // levels, digits included, at least 2
  int max_args = 5;       // an operator takes 2 … max_args
  size_t max_tokens = 0;  // longer ones are drawn again; 0 sets no limit
};

// As the published data was made: an argument is an operator with probability 1/4, else a digit; no
// two expressions are equal, so any split of the list is a fair one. Only the few bare digits of the
// published files are missing: the root is an operator. The same on every platform; the first n of
// a longer list are the list of n. An Error if the options do not allow n different expressions.
ESPALIER_API std::vector<Expression> generate(size_t n, uint64_t seed, const Options& = {});

// The published binarisation, ((([MAX 2) 9) 0) ]: a leaf is a token, an inner node joins two.
// Children stand before their parents, the root last.
struct ESPALIER_API BinaryTree {
  struct Node {
    int token = -1;                // of a leaf, else -1
    int value = -1;                // of a digit and of a closed list; -1 where a list is still open
    uint32_t left = 0, right = 0;  // of an inner node
    bool is_leaf() const { return token >= 0; }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;

  uint32_t root() const { return static_cast<uint32_t>(nodes.size()) - 1; }
  int value() const { return nodes.back().value; }
  bool operator==(const BinaryTree&) const = default;
};
ESPALIER_API BinaryTree binarise(const Expression&);

}  // namespace espalier::data::listops
