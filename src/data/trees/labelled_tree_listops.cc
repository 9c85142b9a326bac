// Parses expressions of any operators, such as [MAX 2 9 [MIN 4 7 ] 0 ], and computes the values of known operators.
#include <algorithm>
#include <string>

#include <espalier/data/listops.h>

#include "data/reading/words.h"
#include "data/trees/labelled_tree_draft.h"

namespace espalier::data::labelled_tree {
namespace {

constexpr int unknown = -1;  // value

int digit_of(std::string_view word) {
  return word.size() == 1 && word[0] >= '0' && word[0] <= '9' ? word[0] - '0' : unknown;
}

std::optional<listops::Op> known_operator(std::string_view word) {
  const auto names = listops::vocabulary();
  const auto found = std::find(names.begin() + 10, names.begin() + listops::close_token, word);
  if (found == names.begin() + listops::close_token) return {};
  return static_cast<listops::Op>(found - names.begin());
}

class Parser {
 public:
  Parser(std::string_view text, const FilePosition& start, bool computes)
      : words_(text), start_(start), end_(text.size()), computes_(computes) {}

  Draft read() {
    while (words_.next()) {
      const std::string_view word = words_.word();
      if (word == "(") {
        parentheses_.push_back(here());
      } else if (word == ")") {
        if (parentheses_.empty()) here().fail("')' without a '('");
        parentheses_.pop_back();
      } else if (word == "]") {
        close();
      } else {
        leaf(word);
      }
    }
    const FilePosition end{start_.file, start_.line, start_.column + end_};
    if (!open_.empty())
      end.fail("the text ends inside " + quoted(open_.back().word) + " at " + open_.back().at.text() + "; expected ]");
    if (!parentheses_.empty())
      end.fail("the text ends inside the '(' at " + parentheses_.back().text() + "; expected )");
    if (ready_.empty()) end.fail("no expression; expected an operator such as [MAX, or a word");
    if (values_.back() != unknown && computes_) draft_.label_root(name_of(values_.back(), start_));
    return std::move(draft_);
  }
  int value() const { return values_.back(); }

 private:
  struct Open {
    FilePosition at;
    std::string_view word;
    size_t ready;  // index of its operator in ready_
  };

  FilePosition here() const { return {start_.file, start_.line, start_.column + words_.column() - 1}; }
  static Text name_of(int value, const FilePosition& at) {
    return {listops::vocabulary()[static_cast<size_t>(value)], at.line, at.column};
  }
  void add(uint32_t node, int value) {
    ready_.push_back(node);
    values_.push_back(value);
  }

  void leaf(std::string_view word) {
    const FilePosition at = here();
    if (open_.empty() && !ready_.empty())
      at.fail(quoted(word) + " after the end of the expression; expected one expression");
    if (is_operator(word)) open_.push_back({at, word, ready_.size()});
    add(draft_.add_leaf({word, at.line, at.column}), digit_of(word));
  }

  void close() {
    if (open_.empty()) here().fail("']' without an open operator");
    const Open list = open_.back();
    open_.pop_back();
    const auto from = static_cast<std::ptrdiff_t>(list.ready);
    if (ready_.size() == list.ready + 1)
      here().fail(quoted(list.word) + " at " + list.at.text() + " has no arguments; expected at least 1");
    const std::vector<int> arguments(values_.begin() + from + 1, values_.end());
    const auto op = known_operator(list.word);
    const bool is_known = op && std::ranges::find(arguments, unknown) == arguments.end();
    const int value = is_known ? listops::evaluate(*op, arguments) : unknown;
    ready_.push_back(draft_.add_leaf({words_.word(), here().line, here().column}));
    std::optional<Text> label;
    if (value != unknown && computes_) label = name_of(value, list.at);
    const uint32_t node = draft_.add_node(std::span(ready_).subspan(list.ready), label);
    ready_.resize(list.ready);
    values_.resize(list.ready);
    add(node, value);
  }

  Words words_;
  FilePosition start_;
  size_t end_;
  bool computes_;  // whether lists are labelled with their values
  Draft draft_;
  std::vector<Open> open_;
  std::vector<FilePosition> parentheses_;
  std::vector<uint32_t> ready_;  // nodes without a parent yet
  std::vector<int> values_;      // of the nodes in ready_
};

}  // namespace

bool is_operator(std::string_view word) { return word.size() > 1 && word.front() == '[' && word.back() != ']'; }

bool begins_with_operator(std::string_view text) {
  Words words(text);
  while (words.next())
    if (words.word() != "(") return is_operator(words.word());
  return false;
}

Draft draft_of_listops(std::string_view text, const FilePosition& start, const std::optional<Text>& label) {
  const bool is_digit = !label || digit_of(label->text) != unknown;
  Parser parser(text, start, is_digit);
  Draft draft = parser.read();
  if (!label) return draft;
  if (is_digit && parser.value() != unknown && parser.value() != digit_of(label->text))
    FilePosition{start.file, label->line, label->column}.fail(
        "label " + std::string(label->text) + " of an expression with value " + std::to_string(parser.value()));
  draft.label_root(*label);
  return draft;
}

}  // namespace espalier::data::labelled_tree
