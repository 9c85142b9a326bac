// Trees with labels: any number of children, labels at all nodes or at the root only. Three forms of text:
//   labels    (3 (2 It) (4 (2 's) (4 great)))     a list begins with its label, or with _ for none
//   root      pos TAB ( ( It ) ( was great ) )    the label of the root and a tab; all words are leaves
//   listops   9 TAB [MAX 2 9 [MIN 4 7 ] 0 ]       operators with any names; parentheses are ignored
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/binary_tree.h>
#include <espalier/data/vocabulary.h>
#include <espalier/text/lines.h>

namespace espalier::data::labelled_tree {

enum class Form { labels, root, listops };

// Children precede their parents; the root is the last node.
struct Tree {
  struct Node {
    int label = -1;                 // -1: none
    int word = -1;                  // leaves: word index; inner nodes: -1
    uint32_t first = 0, count = 0;  // range of its children in `lists`
    bool is_leaf() const { return word >= 0; }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;
  std::vector<uint32_t> lists;  // the children of all nodes
  size_t line = 1;              // the line of the file in which the tree begins

  uint32_t root() const { return static_cast<uint32_t>(nodes.size()) - 1; }
  std::span<const uint32_t> children(uint32_t node) const {
    return {lists.data() + nodes[node].first, nodes[node].count};
  }
  bool operator==(const Tree&) const = default;
};

// The form of a tree, derived from its first line: listops if the first word is an operator such as [MAX, else root if
// the line begins with a label and a tab, else labels.
ESPALIER_API Form form_of(std::string_view line);

// Reads the next tree; empty lines are skipped. A tree of the form `labels` may span several lines, the others occupy
// one line. If `form` is empty, the first tree sets it. A list of one word is a leaf, and so is a word next to other
// children, which has no label.
//
// In the form listops, an operator [NAME, its arguments and ] are the children of a node. A list whose operators are
// [MAX, [MIN, [MED or [SM and whose numbers are digits is labelled with its value, unless the given label is not a
// digit. The label of the line may then be missing; if present, it must equal the value.
//
// A valid tree adds its words and labels to the vocabularies. If `labels` is closed, other labels are errors. DataError
// with file:line:column: a malformed tree, or a root without a label; it adds nothing. Only memory limits the depth.
ESPALIER_API bool next(Lines&, Tree&, std::optional<Form>& form, Vocabulary& labels, Vocabulary& words);
ESPALIER_API std::vector<Tree> read(Lines, std::optional<Form>& form, Vocabulary& labels, Vocabulary& words);

// Parses one tree whose labels do not matter: the label of the root may be missing, and no value is compared.
ESPALIER_API Tree parse(std::string_view text, Form form, Vocabulary& labels, Vocabulary& words,
                        std::string_view name = "tree");

struct BinaryTree {
  binary_tree::Tree tree;   // its leaves are words
  std::vector<int> labels;  // per node; -1: none
};
// Children join from left to right: a, b, c become ((a b) c), of which (a b) has no label. A node with one child joins
// the child with the leaf `unary`; with -1, the child takes its place.
ESPALIER_API BinaryTree binarise(const Tree&, int unary = -1);

}  // namespace espalier::data::labelled_tree
