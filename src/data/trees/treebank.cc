#include <espalier/data/treebank.h>

#include "data/reading/all.h"
#include "data/reading/blank.h"
#include "data/trees/nested.h"

namespace espalier::data::treebank {
namespace {

constexpr size_t longest = size_t{1} << 26;  // of a tree, in bytes

// The lines of a tree, up to where its parentheses are closed.
std::string take_tree(Lines& lines) {
  const size_t first = lines.number();
  std::string text;
  for (ptrdiff_t depth = 0;;) {
    for (const char c : lines.line()) depth += (c == '(') - (c == ')');
    text += lines.line();
    if (depth <= 0) return text;
    if (text.size() > longest) lines.fail(1, "a tree of more than " + std::to_string(longest) + " bytes");
    text += '\n';
    if (!lines.next()) lines.fail(1, "the file ends inside a tree that begins in line " + std::to_string(first));
  }
}

// Labels and words are the numbers of nodes of `nested`, until the whole tree is sound.
Tree shape_of(const Nested& nested, Place at) {
  Tree tree;
  std::vector<uint32_t> place(nested.nodes.size());  // in the tree
  for (size_t i = 0; i < nested.nodes.size(); ++i) {
    const Nested::Node& node = nested.nodes[i];
    at.line = node.line;
    at.column = node.column;
    const bool is_root = i + 1 == nested.nodes.size();
    if (!node.is_list()) {
      if (is_root) at.fail(quoted(node.word) + " outside of a tree; needed (");
      continue;
    }
    auto items = nested.items(node);
    const bool has_label = !nested.nodes[items[0]].is_list();
    if (!has_label && is_root && items.size() == 1) break;  // around the tree
    if (!has_label) at.fail("a list without a label; needed one after (");
    Tree::Node made{static_cast<int>(items[0]), -1, static_cast<uint32_t>(tree.lists.size()), 0};
    items = items.subspan(1);
    if (items.empty()) at.fail("a node without children; needed a word or lists");
    for (const uint32_t item : items) {
      if (nested.nodes[item].is_list()) {
        tree.lists.push_back(place[item]);
        ++made.count;
      } else if (items.size() == 1) {
        made.word = static_cast<int>(item);
      } else {
        at.line = nested.nodes[item].line;
        at.column = nested.nodes[item].column;
        at.fail(quoted(nested.nodes[item].word) + " beside other children; needed ( LABEL word )");
      }
    }
    place[i] = static_cast<uint32_t>(tree.nodes.size());
    tree.nodes.push_back(made);
  }
  return tree;
}

}  // namespace

bool next(Lines& lines, Tree& tree, Vocabulary& labels, Vocabulary& words) {
  do {
    if (!lines.next()) return false;
  } while (is_blank(lines.line()));
  const Place at{lines.name(), lines.number()};
  const std::string text = take_tree(lines);
  const Nested nested = parse_nested(text, at);
  tree = shape_of(nested, at);
  for (Tree::Node& node : tree.nodes) {
    node.label = labels.add(nested.nodes[static_cast<size_t>(node.label)].word);
    if (node.is_leaf()) node.word = words.add(nested.nodes[static_cast<size_t>(node.word)].word);
  }
  return true;
}

std::vector<Tree> read(Lines lines, Vocabulary& labels, Vocabulary& words) {
  return all_of<Tree>([&](Tree& tree) { return next(lines, tree, labels, words); });
}

std::string to_text(const Tree& tree, const Vocabulary& labels, const Vocabulary& words) {
  struct Open {
    uint32_t node, written;  // written: how many of its children
  };
  std::string text;
  std::vector<Open> open;  // instead of recursion
  const auto begin = [&](uint32_t i) {
    const Tree::Node& node = tree.nodes[i];
    text += (text.empty() ? "(" : " (") + labels.word(node.label);
    if (node.is_leaf()) text += " " + words.word(node.word);
    open.push_back({i, 0});
  };
  begin(tree.root());
  while (!open.empty()) {
    const auto children = tree.children(open.back().node);
    if (open.back().written < children.size()) {
      begin(children[open.back().written++]);
    } else {
      text += ')';
      open.pop_back();
    }
  }
  return text;
}

}  // namespace espalier::data::treebank
