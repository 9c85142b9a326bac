// Prints and parses arithmetic expressions in prefix and infix form.
#include <cstdlib>

#include <espalier/data/arithmetic.h>

#include "data/reading/blank.h"
#include "data/reading/number.h"
#include "data/trees/arithmetic_builder.h"
#include "data/trees/nested.h"

namespace espalier::data::arithmetic {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_op(char c) { return c == '+' || c == '-' || c == '*'; }
int tightness(char op) { return op == '*' ? 2 : 1; }

int number_of(std::string_view word, const FilePosition& at) {
  const auto value = parse_number<int>(word);
  if (!value || *value < -largest || *value > largest)
    at.fail(quoted(word) + " is not a number; expected -" + std::to_string(largest) + " … " + std::to_string(largest));
  return *value;
}

void apply(Expression& made, char op, uint32_t left, uint32_t right, const FilePosition& at) {
  if (!add_operation(made, op, left, right))
    at.fail("the value of a subexpression exceeds " + std::to_string(largest_part));
}

// A node of the prefix form: an expression, an operator, or two operands.
struct Part {
  enum Kind { expression, op, operands } kind;
  char symbol;
  uint32_t left, right;  // operands: the two nodes; expression: its node in `left`
};

Expression parse_prefix(std::string_view text, FilePosition at) {
  const Nested nested = parse_nested(text, at);
  Expression made;
  std::vector<Part> parts;
  parts.reserve(nested.nodes.size());
  for (const Nested::Node& node : nested.nodes) {
    at.column = node.column;
    if (!node.is_list()) {
      if (node.word.size() == 1 && is_op(node.word[0])) {
        parts.push_back({Part::op, node.word[0], 0, 0});
      } else {
        made.nodes.push_back({0, number_of(node.word, at), 0, 0});
        parts.push_back({Part::expression, 0, made.root(), 0});
      }
      continue;
    }
    const auto items = nested.items(node);
    const Part* first = &parts[items[0]];
    const Part* second = items.size() == 2 ? &parts[items[1]] : nullptr;
    if (second && first->kind == Part::op && second->kind == Part::operands) {
      apply(made, first->symbol, second->left, second->right, at);
      parts.push_back({Part::expression, 0, made.root(), 0});
    } else if (second && first->kind == Part::expression && second->kind == Part::expression) {
      parts.push_back({Part::operands, 0, first->left, second->left});
    } else {
      at.fail("not an expression; expected ( op ( x y ) ) with + - or *");
    }
  }
  if (parts.back().kind != Part::expression) at.fail("the expression is incomplete");
  return made;
}

Expression parse_infix(std::string_view text, FilePosition at) {
  struct Open {
    char symbol;  // an operator without its right operand, or (
    size_t column;
  };
  const size_t start = at.column;
  Expression made;
  std::vector<Open> open;
  std::vector<uint32_t> ready;  // operands that no operator has taken yet
  const auto reduce = [&] {
    const uint32_t right = ready.back();
    ready.pop_back();
    at.column = open.back().column;
    apply(made, open.back().symbol, ready.back(), right, at);
    ready.back() = made.root();
    open.pop_back();
  };
  bool after_operand = false;
  for (size_t i = 0, end; i < text.size(); i = end) {
    const char c = text[i];
    end = i + 1;
    if (is_blank(c)) continue;
    at.column = start + i;
    if (!after_operand && c == '(') {
      open.push_back({'(', at.column});
    } else if (!after_operand) {
      while (end < text.size() && !is_blank(text[end]) && !is_op(text[end]) && text[end] != '(' && text[end] != ')')
        ++end;
      made.nodes.push_back({0, number_of(text.substr(i, end - i), at), 0, 0});
      ready.push_back(made.root());
      after_operand = true;
    } else if (is_op(c)) {
      const size_t column = at.column;
      while (!open.empty() && open.back().symbol != '(' && tightness(open.back().symbol) >= tightness(c)) reduce();
      open.push_back({c, column});
      after_operand = false;
    } else if (c == ')') {
      while (!open.empty() && open.back().symbol != '(') reduce();
      at.column = start + i;
      if (open.empty()) at.fail("')' without a '('");
      open.pop_back();
    } else {
      at.fail(quoted(text.substr(i, 1)) + " after an operand; expected + - * or )");
    }
  }
  at.column = start + text.size();
  if (!after_operand) at.fail("the text ends; expected a number or (");
  while (!open.empty()) {
    if (open.back().symbol == '(') {
      at.column = start + text.size();
      at.fail("the text ends inside the '(' at column " + std::to_string(open.back().column) + "; expected )");
    }
    reduce();
  }
  return made;
}

// The text is in prefix form if its first ( is followed by an operator and a separator.
bool is_prefix(std::string_view text) {
  size_t i = text.find_first_not_of(" \t\r");
  if (i == std::string_view::npos || text[i] != '(') return false;
  i = text.find_first_not_of(" \t\r", i + 1);
  return i != std::string_view::npos && is_op(text[i]) && (i + 1 == text.size() || !is_digit(text[i + 1]));
}

}  // namespace

Expression parse_from(std::string_view text, const FilePosition& at) {
  return is_prefix(text) ? parse_prefix(text, at) : parse_infix(text, at);
}

Expression parse(std::string_view text, std::string_view name) { return parse_from(text, FilePosition{name}); }

std::string to_text(const Expression& expression, Form form) {
  struct Piece {
    std::string text;  // empty: prints `node` instead
    uint32_t node;
  };
  std::string text;
  std::vector<Piece> pieces{{"", expression.root()}};  // stack of the pieces still to print
  const auto say = [&](std::string words) { pieces.push_back({std::move(words), 0}); };
  while (!pieces.empty()) {
    const Piece piece = std::move(pieces.back());
    pieces.pop_back();
    if (!piece.text.empty()) {
      text += piece.text;
      continue;
    }
    const Expression::Node& node = expression.nodes[piece.node];
    if (node.is_number()) {
      text += std::to_string(node.value);
    } else if (form == Form::prefix) {
      text += std::string("( ") + node.op + " ( ";
      say(" ) )");
      pieces.push_back({"", node.right});
      say(" ");
      pieces.push_back({"", node.left});
    } else {
      const auto operand = [&](uint32_t i, bool on_the_right) {
        const char op = expression.nodes[i].op;
        const bool bare =
            !op || tightness(op) > tightness(node.op) || (op && !on_the_right && tightness(op) == tightness(node.op));
        if (!bare) say(")");
        pieces.push_back({"", i});
        if (!bare) say("(");
      };
      operand(node.right, true);
      say(std::string(" ") + node.op + " ");
      operand(node.left, false);
    }
  }
  return text;
}

}  // namespace espalier::data::arithmetic
