// Canonical order: depth first from the outputs. C++ compilers evaluate operands in different orders, so the order of
// tracing must not matter. Inputs keep their numbers; nodes that no output depends on are dropped.
#include <algorithm>

#include "cell/passes.h"

namespace espalier {
namespace {

std::vector<int> depth_first(const Program& p) {
  std::vector<int> order;
  std::vector<uint8_t> seen(p.nodes.size(), 0);
  // Inputs first, in the order of the signature: equal signatures give equal numbers.
  for (size_t i = 0; i < p.nodes.size(); ++i)
    if (p.nodes[i].kind == Node::Kind::row || p.nodes[i].kind == Node::Kind::index ||
        p.nodes[i].kind == Node::Kind::number) {
      order.push_back(static_cast<int>(i));
      seen[i] = 1;
    }
  std::vector<std::pair<int, size_t>> stack;
  for (int root : p.outputs) {
    if (!seen[static_cast<size_t>(root)]) stack.push_back({root, 0});
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      const auto& in = p.node(node).in;
      if (seen[static_cast<size_t>(node)]) {
        stack.pop_back();
      } else if (next < in.size()) {
        const int child = in[next++];
        if (!seen[static_cast<size_t>(child)]) stack.push_back({child, 0});
      } else {
        seen[static_cast<size_t>(node)] = 1;
        order.push_back(node);
        stack.pop_back();
      }
    }
  }
  return order;
}

}  // namespace

void canonical_order(Program& p) {
  const std::vector<int> order = depth_first(p);
  std::vector<int> to(p.nodes.size(), -1);
  std::vector<Node> nodes;
  std::vector<std::shared_ptr<ParameterStorage>> parameters;
  int site = 0;
  p.random = false;
  for (int old : order) {
    Node n = std::move(p.nodes[static_cast<size_t>(old)]);
    for (int& i : n.in) i = to[static_cast<size_t>(i)];
    if (n.kind == Node::Kind::op && n.op->random) {
      p.random = true;
      n.attrs.back() = site++;
    }
    if (n.kind == Node::Kind::parameter) {
      const auto& storage = p.parameters[static_cast<size_t>(n.which)];
      const auto it = std::find(parameters.begin(), parameters.end(), storage);
      n.which = static_cast<int>(it - parameters.begin());
      if (it == parameters.end()) parameters.push_back(storage);
    }
    to[static_cast<size_t>(old)] = static_cast<int>(nodes.size());
    nodes.push_back(std::move(n));
  }
  p.nodes = std::move(nodes);
  p.forward_nodes = static_cast<int>(p.nodes.size());
  p.parameters = std::move(parameters);
  for (int& o : p.outputs) o = to[static_cast<size_t>(o)];
}

}  // namespace espalier
