// Evaluates ListOps expressions, builds them from tokens, and binarises them.
#include <espalier/data/listops.h>

#include <algorithm>
#include <numeric>

#include "data/trees/listops_builder.h"

namespace espalier::data::listops {

int evaluate(Op op, std::span<const int> args) {
  switch (op) {
    case Op::max:
      return *std::max_element(args.begin(), args.end());
    case Op::min:
      return *std::min_element(args.begin(), args.end());
    case Op::sm:
      return std::accumulate(args.begin(), args.end(), 0) % 10;
    case Op::med:
      break;
  }
  std::vector<int> sorted(args.begin(), args.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t n = sorted.size();
  return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;  // as published: int(numpy.median(args))
}

int evaluate(const Expression& expression) {
  std::vector<int> values, args;
  values.reserve(expression.nodes.size());
  for (uint32_t i = 0; i <= expression.root(); ++i) {
    const auto& node = expression.nodes[i];
    args.clear();
    for (const uint32_t arg : expression.args(i)) args.push_back(values[arg]);
    values.push_back(node.is_digit() ? node.token : evaluate(static_cast<Op>(node.token), args));
  }
  return values.back();
}

size_t Expression::length() const {
  size_t result = 0;
  for (const auto& node : nodes) result += node.is_digit() ? 1 : 2;
  return result;
}

size_t Expression::depth() const {
  std::vector<size_t> levels;
  levels.reserve(nodes.size());
  for (uint32_t i = 0; i <= root(); ++i) {
    size_t below = 0;
    for (const uint32_t arg : args(i)) below = std::max(below, levels[arg]);
    levels.push_back(below + 1);
  }
  return levels.back();
}

void Builder::close() {
  const Open list = open_.back();
  open_.pop_back();
  const auto first = static_cast<uint32_t>(made_.lists.size());
  const auto count = static_cast<uint32_t>(ready_.size() - list.ready);
  values_.clear();
  for (size_t i = list.ready; i < ready_.size(); ++i) {
    made_.lists.push_back(ready_[i]);
    values_.push_back(made_.nodes[ready_[i]].value);
  }
  ready_.resize(list.ready);
  add({static_cast<int>(list.op), evaluate(list.op, values_), first, count});
}

BinaryTree binarise(const Expression& expression) {
  BinaryTree tree;
  const auto add = [&](BinaryTree::Node node) {
    tree.nodes.push_back(node);
    return tree.root();
  };
  std::vector<uint32_t> place;  // index in the tree of each node of the expression
  place.reserve(expression.nodes.size());
  for (uint32_t i = 0; i <= expression.root(); ++i) {
    const auto& node = expression.nodes[i];
    if (node.is_digit()) {
      place.push_back(add({node.token, node.value, 0, 0}));
      continue;
    }
    uint32_t list = add({node.token, -1, 0, 0});
    for (const uint32_t arg : expression.args(i)) list = add({-1, -1, list, place[arg]});
    const uint32_t bracket = add({close_token, -1, 0, 0});
    place.push_back(add({-1, node.value, list, bracket}));
  }
  return tree;
}

}  // namespace espalier::data::listops
