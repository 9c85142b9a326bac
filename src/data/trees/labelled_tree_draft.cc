#include "data/trees/labelled_tree_draft.h"

#include <string>
#include <utility>

namespace espalier::data::labelled_tree {
namespace {

[[noreturn]] void refuse(const Text& label, std::string_view file, const Vocabulary& labels) {
  std::string all;
  for (int i = 0; i < labels.size(); ++i) all += (i == 0 ? "" : ", ") + labels.word(i);
  FilePosition{file, label.line, label.column}.fail(quoted(label.text) + " is not a label; expected one of " + all);
}

}  // namespace

Tree Draft::finish(Vocabulary& labels, Vocabulary& words, const FilePosition& at) {
  const auto text = [&](int i) -> const Text& { return texts[static_cast<size_t>(i)]; };
  if (labels.is_closed())
    for (const Tree::Node& node : tree.nodes)
      if (node.label >= 0 && labels.find(text(node.label).text) < 0) refuse(text(node.label), at.file, labels);
  tree.line = at.line;
  for (Tree::Node& node : tree.nodes) {
    if (node.label >= 0) node.label = labels.add(text(node.label).text);
    if (node.is_leaf()) node.word = words.add(text(node.word).text);
  }
  return std::move(tree);
}

}  // namespace espalier::data::labelled_tree
