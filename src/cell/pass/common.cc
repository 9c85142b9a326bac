// Common subexpressions: equal ops on equal operands are computed once. The backward half reads values of the forward
// half instead of computing them again.
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "cell/passes.h"

namespace espalier {

void common_subexpressions(Program& p) {
  // Attributes are compared by their bits: 0 and -0 differ, NaN equals itself.
  using Bits = std::vector<uint64_t>;
  auto bits = [](const Attrs& attrs) {
    Bits b;
    for (double a : attrs) b.push_back(std::bit_cast<uint64_t>(a));
    return b;
  };
  using Key = std::tuple<Node::Kind, const OpInfo*, Bits, std::vector<int>, int, int, std::array<int, Shape::max_rank>>;
  std::map<Key, int> known;
  std::vector<int> to(p.nodes.size());
  // Outputs and gradient rows are never merged: each owns its row.
  std::vector<bool> root(p.nodes.size(), false);
  for (int o : p.outputs) root[static_cast<size_t>(o)] = true;
  for (int g : p.row_gradients)
    if (g >= 0) root[static_cast<size_t>(g)] = true;
  for (size_t i = 0; i < p.nodes.size(); ++i) {
    Node& n = p.nodes[i];
    for (int& k : n.in) k = to[static_cast<size_t>(k)];
    const auto [it, fresh] =
        known.try_emplace({n.kind, n.op, bits(n.attrs), n.in, n.space, n.which, n.shape.dims}, static_cast<int>(i));
    to[i] = fresh || root[i] ? static_cast<int>(i) : it->second;
  }
  for (Accumulation& a : p.accumulations) {
    a.dy = to[static_cast<size_t>(a.dy)];
    if (a.x >= 0) a.x = to[static_cast<size_t>(a.x)];
  }
}

}  // namespace espalier
