// Bracketed trees of any arity with a label at every node, in the format of the Penn Treebank (Marcus et al. 1993):
//   ( (S (NP (DT The) (NN cat))
//        (VP (VBZ sleeps))) )
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/vocabulary.h>
#include <espalier/text/lines.h>

namespace espalier::data::treebank {

// Children precede their parents; the root is the last node.
struct Tree {
  struct Node {
    int label = 0;
    int word = -1;                  // leaves: word index; inner nodes: -1
    uint32_t first = 0, count = 0;  // range of its children in `lists`
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

// A tree begins on a new line and may span several lines. An unlabelled pair of brackets around the tree is dropped.
// Labels and words are delimited by ASCII whitespace and parentheses and keep the escapes of the file (-LRB-, \/). A
// valid tree adds them to the vocabularies. A malformed tree is a DataError with file:line:column and adds nothing.
// Only memory limits the nesting depth.
ESPALIER_API bool next(Lines&, Tree&, Vocabulary& labels, Vocabulary& words);
ESPALIER_API std::vector<Tree> read(Lines, Vocabulary& labels, Vocabulary& words);

// The tree on one line.
ESPALIER_API std::string to_text(const Tree&, const Vocabulary& labels, const Vocabulary& words);

}  // namespace espalier::data::treebank
