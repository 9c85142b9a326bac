// Reads files of arithmetic expressions, and converts expressions to binary trees.
#include <espalier/data/arithmetic.h>

#include "data/reading/all.h"
#include "data/reading/blank.h"
#include "data/reading/number.h"
#include "data/trees/arithmetic_builder.h"

namespace espalier::data::arithmetic {

bool next(Lines& lines, Expression& expression) {
  while (lines.next()) {
    const std::string_view text = lines.line();
    if (is_blank(text)) continue;
    const size_t tab = text.find('\t'), begin = tab == std::string_view::npos ? 0 : tab + 1;
    const auto label = parse_number<int>(text.substr(0, begin > 0 ? tab : 0));
    if (begin > 0 && !label) lines.fail(1, quoted(text.substr(0, tab)) + " is not a label; expected an integer");
    expression = parse_from(text.substr(begin), {lines.name(), lines.number(), begin + 1});
    if (label && expression.value() != *label)
      lines.fail(
          1, "label " + std::to_string(*label) + " of an expression with value " + std::to_string(expression.value()));
    return true;
  }
  return false;
}

std::vector<Expression> read(Lines lines) {
  return all_of<Expression>([&](Expression& expression) { return next(lines, expression); });
}

binary_tree::Tree binarise(const Expression& expression) {
  binary_tree::Tree tree;
  const auto add = [&](const binary_tree::Tree::Node& node) {
    tree.nodes.push_back(node);
    return static_cast<uint32_t>(tree.nodes.size()) - 1;
  };
  std::vector<uint32_t> place;  // index in the tree of each node of the expression
  place.reserve(expression.nodes.size());
  for (const Expression::Node& node : expression.nodes) {
    uint32_t at = add({node.token(), 0, 0});
    if (!node.is_number()) at = add({-1, at, add({-1, place[node.left], place[node.right]})});
    place.push_back(at);
  }
  return tree;
}

}  // namespace espalier::data::arithmetic
