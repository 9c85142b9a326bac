// Prints and parses formulas and pairs, and reads files of pairs.
#include <algorithm>
#include <utility>

#include <espalier/data/logic.h>

#include "data/reading/all.h"
#include "data/reading/blank.h"
#include "data/trees/nested.h"

namespace espalier::data::logic {
namespace {

template <size_t n>
int number_of(std::string_view name, const std::array<std::string_view, n>& names) {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

// A part of the text: a formula, an operator, or a tail ( and FORMULA ), whose left operand precedes it.
struct Part {
  enum Kind { formula, op, tail } kind;
  int token;
  uint32_t node;  // node of the formula, or of the right operand of a tail
};

Formula parse_formula(std::string_view text, FilePosition at) {
  const Nested nested = parse_nested(text, at);
  if (nested.nodes.empty()) at.fail("the text is empty; expected a variable a-f or (");
  Formula made;
  const auto add = [&](int token, uint32_t left, uint32_t right) {
    made.nodes.push_back({token, left, right});
    return Part{Part::formula, token, made.root()};
  };
  std::vector<Part> parts;
  parts.reserve(nested.nodes.size());
  for (const Nested::Node& node : nested.nodes) {
    at.column = node.column;
    if (!node.is_list()) {
      const int token = number_of(node.word, token_names);
      if (token < 0) at.fail(quoted(node.word) + " is not a token; expected a variable a-f, not, and, or");
      parts.push_back(token < variables ? add(token, 0, 0) : Part{Part::op, token, 0});
      continue;
    }
    const auto items = nested.items(node);
    const Part* first = &parts[items[0]];
    const Part* second = items.size() == 2 ? &parts[items[1]] : nullptr;
    if (second && first->kind == Part::op && second->kind == Part::formula) {
      parts.push_back(first->token == not_token ? add(not_token, 0, second->node)
                                                : Part{Part::tail, first->token, second->node});
    } else if (second && first->kind == Part::formula && second->kind == Part::tail) {
      parts.push_back(add(second->token, first->node, second->node));
    } else {
      at.fail("not a formula; expected ( not x ), ( x ( and y ) ) or ( x ( or y ) )");
    }
  }
  if (parts.back().kind != Part::formula) at.fail("the formula is incomplete");
  return made;
}

Pair parse(std::string_view line, FilePosition at) {
  const size_t tabs = static_cast<size_t>(std::count(line.begin(), line.end(), '\t'));
  if (tabs < 1 || tabs > 2)
    at.fail(std::to_string(tabs + 1) + " columns; expected an optional relation and two formulas, separated by tabs");
  int given = -1;
  size_t begin = 0;
  if (tabs == 2) {
    const std::string_view name = line.substr(0, line.find('\t'));
    given = number_of(name, relation_names);
    if (given < 0) at.fail(quoted(name) + " is not a relation; expected = ^ < > | v or #");
    begin = name.size() + 1;
  }
  const size_t tab = line.find('\t', begin);
  const auto from = [&](size_t i) { return FilePosition{at.file, at.line, at.column + i}; };
  Pair pair{parse_formula(line.substr(begin, tab - begin), from(begin)),
            parse_formula(line.substr(tab + 1), from(tab + 1)), 0};
  pair.relation = relation(pair.left, pair.right);
  if (given >= 0 && given != pair.relation)
    at.fail("relation " + std::string(relation_names[static_cast<size_t>(given)]) + " of formulas with relation " +
            std::string(relation_names[static_cast<size_t>(pair.relation)]));
  return pair;
}

}  // namespace

std::string to_text(const Formula& formula) {
  struct Piece {
    const char* text;  // null: prints the node instead
    uint32_t node;
  };
  std::string text;
  std::vector<Piece> pieces{{nullptr, formula.root()}};  // stack of the pieces still to print
  while (!pieces.empty()) {
    const Piece piece = pieces.back();
    pieces.pop_back();
    if (piece.text) {
      text += piece.text;
      continue;
    }
    const Formula::Node& node = formula.nodes[piece.node];
    const std::string_view name = token_names[static_cast<size_t>(node.token)];
    if (node.is_variable()) {
      text += name;
    } else if (node.token == not_token) {
      text += "( not ";
      pieces.insert(pieces.end(), {{" )", 0}, {nullptr, node.right}});
    } else {
      text += "( ";
      pieces.insert(pieces.end(), {{" ) )", 0},
                                   {nullptr, node.right},
                                   {node.token == and_token ? " ( and " : " ( or ", 0},
                                   {nullptr, node.left}});
    }
  }
  return text;
}

Formula parse_formula(std::string_view text, std::string_view name) { return parse_formula(text, FilePosition{name}); }
Pair parse(std::string_view line, std::string_view name) { return parse(line, FilePosition{name}); }

bool next(Lines& lines, Pair& pair) {
  while (lines.next()) {
    if (is_blank(lines.line())) continue;
    pair = parse(lines.line(), FilePosition{lines.name(), lines.number()});
    return true;
  }
  return false;
}

std::vector<Pair> read(Lines lines) {
  return all_of<Pair>([&](Pair& pair) { return next(lines, pair); });
}

}  // namespace espalier::data::logic
