// ListOps (Nangia & Bowman, NAACL 2018): nested operations on digits such as [MAX 2 9 [MIN 4 7 ] 0 ], whose value
// depends on the whole tree. Reads, writes and generates expressions as flat trees, and binarises them for a binary
// Tree-LSTM. No function here recurses, so only memory limits the nesting depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/text/lines.h>

namespace espalier::data::listops {

// A token is an index into vocabulary(): the digits are 0 … 9, then the operators, then "]".
enum class Op : uint8_t { max = 10, min, med, sm };  // med: median, rounded down; sm: sum modulo 10
inline constexpr int close_token = 14;
inline constexpr int tokens = 15;
ESPALIER_API std::span<const std::string_view, tokens> vocabulary();  // "0" … "9" "[MAX" … "]"

// Applies an operator to one or more digits.
ESPALIER_API int evaluate(Op, std::span<const int> args);

// A tree of any arity. Arguments precede their operator and the root is the last node, so a loop over `nodes` visits
// every argument before its operator. Recursion over args(i) works too.
struct ESPALIER_API Expression {
  struct Node {
    int token = 0;                  // a digit or an Op
    int value = 0;                  // value of this subtree: 0 … 9
    uint32_t first = 0, count = 0;  // range of its arguments in `lists`
    bool is_digit() const { return token < 10; }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;      // functions in this header never return an empty list
  std::vector<uint32_t> lists;  // the arguments of all nodes, as indices into `nodes`

  uint32_t root() const { return static_cast<uint32_t>(nodes.size()) - 1; }
  std::span<const uint32_t> args(uint32_t node) const { return {lists.data() + nodes[node].first, nodes[node].count}; }
  int value() const { return nodes.back().value; }
  size_t length() const;  // in tokens: 1 per digit, 2 per operator (it has a closing "]")
  size_t depth() const;   // in levels: 1 for a digit
  bool operator==(const Expression&) const = default;
};

// Evaluates from the digits and ignores the stored values.
ESPALIER_API int evaluate(const Expression&);

// plain:     [MAX 2 9 0 ]
// binarised: ( ( ( ( [MAX 2 ) 9 ) 0 ) ] ), the form of the published files
enum class Form { plain, binarised };
ESPALIER_API std::string to_text(const Expression&, Form = Form::plain);

// Parses either form. Parentheses must match and are otherwise ignored. Error messages begin with `name`:
// "listops:1:7: …", with line and column (in bytes) from 1.
ESPALIER_API Expression parse(std::string_view text, std::string_view name = "listops");

// One expression per line, optionally preceded by a label and a tab (the published form). A label that differs from
// the value is a DataError. Empty lines are skipped.
ESPALIER_API bool next(Lines&, Expression&);
ESPALIER_API std::vector<Expression> read(Lines);
inline std::vector<Expression> read(std::istream& lines, std::string_view name = "listops") {
  return read(Lines(lines, name));
}

struct Options {
  int max_depth = 20;     // levels, digits included, at least 2
  int max_args = 5;       // an operator takes 2 … max_args arguments
  size_t max_tokens = 0;  // longer expressions are redrawn; 0: no limit
};

// Generates n distinct expressions with the distribution of the published data: an argument is an operator with
// probability 1/4, otherwise a digit. Since no two are equal, any split into train and test is fair. The root is always
// an operator; the published files also contain a few single digits. The same on every platform; generate(n) is a
// prefix of generate(m) for m > n. Throws Error if the options allow fewer than n distinct expressions.
ESPALIER_API std::vector<Expression> generate(size_t n, uint64_t seed, const Options& = {});

// The published binarisation, ((([MAX 2) 9) 0) ]: leaves are tokens, inner nodes have two children. Children precede
// their parents; the root is the last node.
struct ESPALIER_API BinaryTree {
  struct Node {
    int token = -1;                // leaves: a token; inner nodes: -1
    int value = -1;                // value of a digit or a closed list; -1: the list is still open
    uint32_t left = 0, right = 0;  // inner nodes only
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
