// Prints and parses ListOps expressions, and reads files of labelled lines.
#include <array>

#include <espalier/data/listops.h>

#include "data/reading/all.h"
#include "data/reading/blank.h"
#include "data/trees/listops_builder.h"
#include "text/file_position.h"

namespace espalier::data::listops {
namespace {

constexpr std::array<std::string_view, tokens> words = {"0", "1", "2",    "3",    "4",    "5",   "6", "7",
                                                        "8", "9", "[MAX", "[MIN", "[MED", "[SM", "]"};

std::string_view word(Op op) { return words[static_cast<size_t>(op)]; }

bool ends_word(char c) { return is_blank(c) || c == '\n'; }

// Splits a text into words and tracks their positions.
class Words {
 public:
  Words(std::string_view text, FilePosition at) : rest_(text), at_(at) {}

  bool next() {
    skip(word_.size());
    while (!rest_.empty() && ends_word(rest_[0])) skip(1);
    size_t n = 0;
    while (n < rest_.size() && !ends_word(rest_[n])) ++n;
    word_ = rest_.substr(0, n);
    return n > 0;
  }
  std::string_view word() const { return word_; }
  FilePosition at() const { return at_; }

 private:
  void skip(size_t n) {
    if (n > 0 && rest_[0] == '\n') {
      at_ = {at_.file, at_.line + 1, 1};
    } else {
      at_.column += n;
    }
    rest_.remove_prefix(n);
  }

  std::string_view rest_, word_;
  FilePosition at_;
};

int token_of(std::string_view word) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return static_cast<int>(i);
  }
  return -1;
}

Expression parse_from(std::string_view text, FilePosition start) {
  Builder builder;
  std::vector<FilePosition> lists, parentheses;  // positions of the open [ and (, innermost last
  Words words_left(text, start);
  while (words_left.next()) {
    const std::string_view word = words_left.word();
    const FilePosition at = words_left.at();
    if (word == "(") {
      parentheses.push_back(at);
      continue;
    }
    if (word == ")") {
      if (parentheses.empty()) at.fail("')' without a '('");
      parentheses.pop_back();
      continue;
    }
    const int token = token_of(word);
    if (token < 0) {
      at.fail(quoted(word) + " is not a token; expected a digit 0-9, [MAX, [MIN, [MED, [SM or ]");
    }
    if (token == close_token) {
      if (lists.empty()) at.fail("']' without an open operator");
      if (builder.open_args() == 0) {
        at.fail(quoted(listops::word(builder.open_op())) + " at " + lists.back().text() +
                " has no arguments; expected at least 1");
      }
      builder.close();
      lists.pop_back();
      continue;
    }
    if (builder.is_whole()) {
      at.fail(quoted(word) + " after the end of the expression; expected one expression");
    }
    if (token < 10) {
      builder.digit(token);
    } else {
      builder.open(static_cast<Op>(token));
      lists.push_back(at);
    }
  }
  const FilePosition end = words_left.at();
  if (!lists.empty()) {
    end.fail("the text ends inside " + quoted(listops::word(builder.open_op())) + " at " + lists.back().text() +
             "; expected ]");
  }
  if (!parentheses.empty()) {
    end.fail("the text ends inside the '(' at " + parentheses.back().text() + "; expected )");
  }
  if (!builder.is_whole()) {
    end.fail("no expression; expected a digit 0-9, [MAX, [MIN, [MED or [SM");
  }
  return builder.take();
}

}  // namespace

std::span<const std::string_view, tokens> vocabulary() { return words; }

Expression parse(std::string_view text, std::string_view name) { return parse_from(text, {name}); }

bool next(Lines& lines, Expression& expression) {
  while (lines.next()) {
    const std::string_view text = lines.line();
    if (is_blank(text)) continue;
    const size_t tab = text.find('\t'), begin = tab == std::string_view::npos ? 0 : tab + 1;
    const int label = begin > 0 ? token_of(text.substr(0, tab)) : -1;
    if (begin > 0 && (label < 0 || label > 9))
      lines.fail(1, quoted(text.substr(0, tab)) + " is not a label; expected a digit 0-9");
    expression = parse_from(text.substr(begin), {lines.name(), lines.number(), begin + 1});
    if (begin > 0 && expression.value() != label)
      lines.fail(
          1, "label " + std::to_string(label) + " of an expression with value " + std::to_string(expression.value()));
    return true;
  }
  return false;
}

std::vector<Expression> read(Lines lines) {
  return all_of<Expression>([&](Expression& expression) { return next(lines, expression); });
}

std::string to_text(const Expression& expression, Form form) {
  const bool binarised = form == Form::binarised;
  std::string text;
  const auto write = [&](std::string_view word) {
    if (!text.empty()) text += ' ';
    text += word;
  };
  struct Open {
    uint32_t node, written;  // written: number of arguments already printed
  };
  std::vector<Open> open;  // explicit stack: trees may be deep
  const auto begin = [&](uint32_t i) {
    const auto& node = expression.nodes[i];
    if (!node.is_digit() && binarised) {
      for (uint32_t k = 0; k <= node.count; ++k) write("(");  // one per argument and one for ]
    }
    write(words[static_cast<size_t>(node.token)]);
    if (!node.is_digit()) open.push_back({i, 0});
  };
  begin(expression.root());
  while (!open.empty()) {
    auto& [node, written] = open.back();
    if (binarised && written > 0) write(")");
    const auto args = expression.args(node);
    if (written < args.size()) {
      begin(args[written++]);
    } else {
      write("]");
      if (binarised) write(")");
      open.pop_back();
    }
  }
  return text;
}

}  // namespace espalier::data::listops
