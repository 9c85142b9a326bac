// Parses sentiment trees in one pass over each line, with an explicit stack of open nodes.
#include <espalier/data/sentiment.h>

#include <string>

#include "data/reading/all.h"
#include "data/reading/blank.h"
#include "text/file_position.h"

namespace espalier::data::sentiment {
namespace {

bool ends_word(char c) { return is_blank(c) || c == '(' || c == ')'; }

class LineReader {
 public:
  LineReader(std::string_view line, std::string_view file, size_t number, Vocabulary& words)
      : line_(line), file_(file), number_(number), words_(words) {}

  Tree read() {
    for (skip_blanks(); at_ < line_.size(); skip_blanks()) {
      if (line_[at_] == '(') {
        open();
      } else if (line_[at_] == ')') {
        close();
      } else {
        leaf();
      }
    }
    if (!open_.empty())
      here().fail("the line ends inside the '(' at column " + std::to_string(open_.back().at + 1) + "; expected )");
    for (Tree::Node& node : tree_.nodes)
      if (node.is_leaf()) node.word = words_.add(leaves_[static_cast<size_t>(node.word)]);
    return std::move(tree_);
  }

 private:
  struct Open {
    size_t at;  // offset of its parenthesis
    int label, word = -1, children = 0;
    uint32_t child[2] = {};
  };

  FilePosition here() const { return {file_, number_, at_ + 1}; }
  void skip_blanks() {
    while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
  }
  std::string_view take_word() {
    const size_t begin = at_;
    while (at_ < line_.size() && !ends_word(line_[at_])) ++at_;
    return line_.substr(begin, at_ - begin);
  }

  void open() {
    if (open_.empty() && !tree_.nodes.empty()) here().fail("'(' after the end of the tree; expected one tree per line");
    if (!open_.empty() && open_.back().word >= 0) here().fail("'(' after a word; expected )");
    if (!open_.empty() && open_.back().children == 2) here().fail("a third child; expected ) after two");
    const size_t begin = at_++;
    skip_blanks();
    const FilePosition place = here();
    const std::string_view label = take_word();
    if (label.size() != 1 || label[0] < '0' || label[0] >= '0' + labels)
      place.fail(quoted(label) + " is not a label; expected a digit 0-4");
    open_.push_back({begin, label[0] - '0'});
  }

  void leaf() {
    if (open_.empty()) here().fail(quoted(take_word()) + " outside a tree; expected (");
    Open& node = open_.back();
    if (node.word >= 0 || node.children > 0) here().fail(quoted(take_word()) + " after a child; expected ( or )");
    node.word = static_cast<int>(leaves_.size());
    leaves_.push_back(take_word());
  }

  void close() {
    if (open_.empty()) here().fail("')' without a '('");
    const Open node = open_.back();
    if (node.word < 0 && node.children != 2)
      here().fail("a node of " + std::to_string(node.children) + " children; expected a word or two children");
    open_.pop_back();
    ++at_;
    const auto number = static_cast<uint32_t>(tree_.nodes.size());
    tree_.nodes.push_back({node.word, node.label, node.child[0], node.child[1]});
    if (!open_.empty()) open_.back().child[open_.back().children++] = number;
  }

  std::string_view line_, file_;
  size_t number_, at_ = 0;
  Vocabulary& words_;
  std::vector<Open> open_;
  std::vector<std::string_view> leaves_;  // added to the vocabulary once the whole line is valid
  Tree tree_;
};

}  // namespace

bool next(Lines& lines, Tree& tree, Vocabulary& words) {
  while (lines.next())
    if (tree = LineReader(lines.line(), lines.name(), lines.number(), words).read(); !tree.nodes.empty()) return true;
  return false;
}

std::vector<Tree> read(Lines lines, Vocabulary& words) {
  return all_of<Tree>([&](Tree& tree) { return next(lines, tree, words); });
}

Tree parse(std::string_view line, Vocabulary& words, std::string_view name) {
  Tree tree = LineReader(line, name, 1, words).read();
  if (tree.nodes.empty()) FilePosition{name}.fail("the line is empty; expected (");
  return tree;
}

}  // namespace espalier::data::sentiment
