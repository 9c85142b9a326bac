// Reads labelled trees in three forms of text, and converts them to binary trees.
#include <espalier/data/labelled_tree.h>

#include "data/reading/all.h"
#include "data/reading/blank.h"
#include "data/trees/labelled_tree_draft.h"
#include "data/trees/nested.h"

namespace espalier::data::labelled_tree {
namespace {

constexpr std::string_view no_label = "_";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The label before the first tab of a line, and the offset of the tree.
struct Labelled {
  std::string_view label;
  size_t begin = 0;  // 0: the line has no label
};
Labelled split_label(std::string_view line) {
  const size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return {};
  const std::string_view label = trimmed(line.substr(0, tab));
  if (label.find_first_of("()") != std::string_view::npos || is_operator(label)) return {};
  return {label == no_label ? std::string_view() : label, tab + 1};
}

Text text_of(const Nested::Node& node) { return {node.word, node.line, node.column}; }

// Converts nested lists to a tree. With `labels`, the first item of each list is its label.
Draft draft_of(const Nested& nested, FilePosition at, bool labels) {
  Draft draft;
  std::vector<uint32_t> place(nested.nodes.size());  // index in the tree of each node of `nested`
  std::vector<uint32_t> children;
  for (size_t i = 0; i < nested.nodes.size(); ++i) {
    const Nested::Node& node = nested.nodes[i];
    at.line = node.line;
    at.column = node.column;
    if (!node.is_list()) {
      if (labels && i + 1 == nested.nodes.size()) at.fail(quoted(node.word) + " outside a tree; expected (");
      if (!labels) place[i] = draft.add_leaf(text_of(node));
      continue;
    }
    auto items = nested.items(node);
    std::optional<Text> label;
    if (labels) {
      const Nested::Node& first = nested.nodes[items[0]];
      if (first.is_list()) at.fail("the list has no label; expected a label after (, or _ for no label");
      if (items.size() == 1) at.fail("the node has no children; expected a word or lists after its label");
      if (first.word != no_label) label = text_of(first);
      items = items.subspan(1);
    }
    if (items.size() == 1 && !nested.nodes[items[0]].is_list()) {
      place[i] = labels ? draft.add_leaf(text_of(nested.nodes[items[0]]), label) : place[items[0]];
      continue;
    }
    children.clear();
    for (const uint32_t item : items)
      children.push_back(labels && !nested.nodes[item].is_list() ? draft.add_leaf(text_of(nested.nodes[item]))
                                                                 : place[item]);
    place[i] = draft.add_node(children, label);
  }
  return draft;
}

struct Source {
  std::string_view text;
  FilePosition at;
  bool compares = true;  // a label with the value of its expression
};

Draft draft_of(const Source& source, Form form) {
  const auto [text, at, compares] = source;
  if (form == Form::labels) return draft_of(parse_nested(text, at), at, true);
  const Labelled labelled = split_label(text);
  const std::string_view rest = text.substr(labelled.begin);
  const FilePosition start{at.file, at.line, at.column + labelled.begin};
  if (is_blank(rest)) start.fail("the tree is missing; expected LABEL, a tab and a tree");
  std::optional<Text> label;
  if (!labelled.label.empty()) label = Text{labelled.label, at.line, at.column};
  if (form == Form::listops) return draft_of_listops(rest, start, compares ? label : std::nullopt);
  Draft draft = draft_of(parse_nested(rest, start), start, false);
  if (label) draft.label_root(*label);
  return draft;
}

// The position of the first character that is not blank.
FilePosition first_column(std::string_view text, FilePosition at) {
  while (at.column <= text.size() && is_blank(text[at.column - 1])) ++at.column;
  return at;
}

}  // namespace

Form form_of(std::string_view line) {
  const Labelled labelled = split_label(line);
  if (begins_with_operator(line.substr(labelled.begin))) return Form::listops;
  return labelled.begin > 0 ? Form::root : Form::labels;
}

bool next(Lines& lines, Tree& tree, std::optional<Form>& form, Vocabulary& labels, Vocabulary& words) {
  do {
    if (!lines.next()) return false;
  } while (is_blank(lines.line()));
  const Form found = form.value_or(form_of(lines.line()));
  const FilePosition at{lines.name(), lines.number()};
  const std::string text = found == Form::labels ? take_nested(lines) : std::string(lines.line());
  Draft draft = draft_of({text, at}, found);
  if (draft.tree.nodes.back().label < 0)
    first_column(text, at).fail(found == Form::labels ? "the root has no label; expected a label after ("
                                : found == Form::root ? "the tree has no label; expected LABEL, a tab and a tree"
                                                      : "the value of the expression is unknown; expected LABEL, a "
                                                        "tab and the expression");
  tree = draft.finish(labels, words, at);
  form = found;
  return true;
}

std::vector<Tree> read(Lines lines, std::optional<Form>& form, Vocabulary& labels, Vocabulary& words) {
  return all_of<Tree>([&](Tree& tree) { return next(lines, tree, form, labels, words); });
}

Tree parse(std::string_view text, Form form, Vocabulary& labels, Vocabulary& words, std::string_view name) {
  const FilePosition at{name};
  if (is_blank(text)) at.fail("the line is empty; expected a tree");
  return draft_of({text, at, false}, form).finish(labels, words, at);
}

BinaryTree binarise(const Tree& tree, int unary) {
  BinaryTree result;
  const auto add = [&](const binary_tree::Tree::Node& node) {
    result.tree.nodes.push_back(node);
    result.labels.push_back(-1);
    return static_cast<uint32_t>(result.tree.nodes.size()) - 1;
  };
  std::vector<uint32_t> place;  // index in the result of each node
  place.reserve(tree.nodes.size());
  for (uint32_t i = 0; i <= tree.root(); ++i) {
    const Tree::Node& node = tree.nodes[i];
    const auto children = tree.children(i);
    uint32_t at = node.is_leaf() ? add({node.word, 0, 0}) : place[children[0]];
    if (children.size() == 1 && unary >= 0) at = add({-1, at, add({unary, 0, 0})});
    for (size_t k = 1; k < children.size(); ++k) at = add({-1, at, place[children[k]]});
    if (node.label >= 0) result.labels[at] = node.label;
    place.push_back(at);
  }
  return result;
}

}  // namespace espalier::data::labelled_tree
