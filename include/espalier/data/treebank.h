// Trees in brackets, of any arity, with a label at every node, as the Penn Treebank has them (Marcus et al. 1993):
//   ( (S (NP (DT The) (NN cat))
//        (VP (VBZ sleeps))) )
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/lines.h>
#include <espalier/data/vocabulary.h>

namespace espalier::data::treebank {

// Children stand before their parents, the root last.
struct Tree {
  struct Node {
    int label = 0;
    int word = -1;                  // of a node that holds a word, else -1
    uint32_t first = 0, count = 0;  // its part of `lists`
    bool is_leaf() const { return word >= 0; }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;
  std::vector<uint32_t> lists;  // the children of all nodes

  uint32_t root() const { return static_cast<uint32_t>(nodes.size()) - 1; }
  std::span<const uint32_t> children(uint32_t node) const {
    return {lists.data() + nodes[node].first, nodes[node].count};
  }
  bool operator==(const Tree&) const = default;
};

// A tree begins on a line of its own and may go on for several. A list without a label around the tree is left out.
// Labels and words are whatever stands between ASCII blanks and parentheses, as escaped in the file (-LRB-, \/); they
// are added to the vocabularies, unless the tree is refused. Anything else is a DataError with file:line:column.
// Nesting is limited by memory alone.
ESPALIER_API bool next(Lines&, Tree&, Vocabulary& labels, Vocabulary& words);
ESPALIER_API std::vector<Tree> read(Lines, Vocabulary& labels, Vocabulary& words);

// The tree as one line.
ESPALIER_API std::string to_text(const Tree&, const Vocabulary& labels, const Vocabulary& words);

}  // namespace espalier::data::treebank
