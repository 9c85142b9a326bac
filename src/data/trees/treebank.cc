#include <espalier/data/treebank.h>

#include "data/reading/all.h"
#include "data/reading/blank.h"
#include "data/trees/nested.h"

namespace espalier::data::treebank {
namespace {

// Converts nested lists to a tree. Labels and words are node indices of `nested`; they are added to the vocabularies
// only once the whole tree is valid.
Tree shape_of(const Nested& nested, FilePosition at) {
  Tree tree;
  std::vector<uint32_t> place(nested.nodes.size());  // index in the tree of each node of `nested`
  for (size_t i = 0; i < nested.nodes.size(); ++i) {
    const Nested::Node& node = nested.nodes[i];
    at.line = node.line;
    at.column = node.column;
    const bool is_root = i + 1 == nested.nodes.size();
    if (!node.is_list()) {
      if (is_root) at.fail(quoted(node.word) + " outside a tree; expected (");
      continue;
    }
    auto items = nested.items(node);
    const bool has_label = !nested.nodes[items[0]].is_list();
    if (!has_label && is_root && items.size() == 1) break;  // the unlabelled brackets around the tree
    if (!has_label) at.fail("the list has no label; expected a label after (");
    Tree::Node made{static_cast<int>(items[0]), -1, static_cast<uint32_t>(tree.lists.size()), 0};
    items = items.subspan(1);
    if (items.empty()) at.fail("the node has no children; expected a word or lists");
    for (const uint32_t item : items) {
      if (nested.nodes[item].is_list()) {
        tree.lists.push_back(place[item]);
        ++made.count;
      } else if (items.size() == 1) {
        made.word = static_cast<int>(item);
      } else {
        at.line = nested.nodes[item].line;
        at.column = nested.nodes[item].column;
        at.fail(quoted(nested.nodes[item].word) + " next to other children; expected ( LABEL word )");
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
  const FilePosition at{lines.name(), lines.number()};
  const std::string text = take_nested(lines);
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
    uint32_t node, written;  // written: number of children already printed
  };
  std::string text;
  std::vector<Open> open;  // explicit stack: trees may be deep
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
