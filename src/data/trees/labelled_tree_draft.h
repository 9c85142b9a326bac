// Draft: a labelled tree whose labels and words are still texts. They enter the vocabularies once the tree is valid.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <espalier/data/labelled_tree.h>

#include "text/file_position.h"

namespace espalier::data::labelled_tree {

// A word or label with its position in the file.
struct Text {
  std::string_view text;
  size_t line = 1, column = 1;
};

struct Draft {
  Tree tree;  // labels and words are indices into `texts`
  std::vector<Text> texts;

  uint32_t add_leaf(const Text& word, const std::optional<Text>& label = {}) {
    const int at = label ? add(*label) : -1;
    tree.nodes.push_back({at, add(word), 0, 0});
    return tree.root();
  }
  uint32_t add_node(std::span<const uint32_t> children, const std::optional<Text>& label = {}) {
    const auto first = static_cast<uint32_t>(tree.lists.size());
    tree.lists.insert(tree.lists.end(), children.begin(), children.end());
    tree.nodes.push_back({label ? add(*label) : -1, -1, first, static_cast<uint32_t>(children.size())});
    return tree.root();
  }
  void label_root(const Text& label) { tree.nodes.back().label = add(label); }

  // DataError: `labels` is closed and lacks a label.
  Tree finish(Vocabulary& labels, Vocabulary& words, const FilePosition& at);

 private:
  int add(const Text& text) {
    texts.push_back(text);
    return static_cast<int>(texts.size()) - 1;
  }
};

// Whether a word is an operator such as [MAX.
bool is_operator(std::string_view word);
// Whether the first word, apart from parentheses, is an operator.
bool begins_with_operator(std::string_view text);

// Parses one line of the form listops, after its label. With `label`, the label of the root; otherwise its value.
Draft draft_of_listops(std::string_view text, const FilePosition& start, const std::optional<Text>& label);

}  // namespace espalier::data::labelled_tree
