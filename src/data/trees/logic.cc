// Truth tables and relations of formulas, and their conversion to binary trees.
#include <espalier/data/logic.h>

namespace espalier::data::logic {
namespace {

// Truth tables of the six variables over their 64 assignments.
constexpr std::array<uint64_t, variables> columns{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                                  0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};

}  // namespace

size_t Formula::operators() const {
  size_t n = 0;
  for (const Node& node : nodes) n += !node.is_variable();
  return n;
}

uint64_t Formula::truth() const {
  std::vector<uint64_t> values;
  values.reserve(nodes.size());
  for (const Node& node : nodes) {
    switch (node.token) {
      case not_token:
        values.push_back(~values[node.right]);
        break;
      case and_token:
        values.push_back(values[node.left] & values[node.right]);
        break;
      case or_token:
        values.push_back(values[node.left] | values[node.right]);
        break;
      default:
        values.push_back(columns[static_cast<size_t>(node.token)]);
    }
  }
  return values.back();
}

int relation(const Formula& left, const Formula& right) {
  const uint64_t a = left.truth(), b = right.truth();
  const bool holds[relations - 1] = {a == b, a == ~b, (a & ~b) == 0, (b & ~a) == 0, (a & b) == 0, ~(a | b) == 0};
  int first = 0;
  while (first < relations - 1 && !holds[first]) ++first;
  return first;
}

binary_tree::Tree binarise(const Formula& formula) {
  binary_tree::Tree tree;
  const auto add = [&](const binary_tree::Tree::Node& node) {
    tree.nodes.push_back(node);
    return static_cast<uint32_t>(tree.nodes.size()) - 1;
  };
  std::vector<uint32_t> place;  // index in the tree of each node of the formula
  place.reserve(formula.nodes.size());
  for (const Formula::Node& node : formula.nodes) {
    uint32_t at = add({node.token, 0, 0});
    if (!node.is_variable()) at = add({-1, at, place[node.right]});
    if (node.token > not_token) at = add({-1, place[node.left], at});
    place.push_back(at);
  }
  return tree;
}

}  // namespace espalier::data::logic
