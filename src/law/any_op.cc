#include "law/any_op.h"

#include <climits>

#include <espalier/expr/functions.h>
#include "law/op/cell.h"

namespace espalier::law {
namespace {

// Compiled once for all random programs. Parameters of an op belong to its cell.
const std::vector<OpCell>& all_cells() {
  static const std::vector<OpCell> all = [] {
    std::vector<OpCell> cells;
    for (const OpCase& c : op_cases()) {
      const bool offset = c.op->index_limit != nullptr && c.op->index_limit(c.sample.attrs, c.sample.shapes) == INT_MAX;
      // Ops without a gradient would fail the comparison with finite differences by design.
      if (!c.op->elementwise && c.op->differentiable() && c.op->place != Place::list && !offset) cells.emplace_back(c);
    }
    return cells;
  }();
  return all;
}

// Reshapes a value to this shape. Elements that repeat get different factors, so no two elements are equal.
Expr shaped(Expr x, const Shape& shape) {
  const auto n = static_cast<int>(shape.size()), have = static_cast<int>(x.shape().size());
  const Expr flat = reshape(x, {have});
  std::vector<Expr> parts;
  for (int at = 0; at < n; at += have)
    parts.push_back(slice(flat, 0, std::min(have, n - at)) * (1 - 0.3f / static_cast<float>(parts.size() + 1)));
  return reshape(parts.size() == 1 ? parts[0] : concat(parts), shape);
}

}  // namespace

Expr any_op(Graph& graph, unsigned which, const std::function<Expr(unsigned)>& some_value) {
  const OpCell& cell = all_cells()[which % all_cells().size()];
  const uint64_t example = which % 8;
  const Arguments given = cell.arguments(example);
  unsigned next = 0;
  return cell
      .record(graph, given, [&](Expr leaf) { return leaf + tanh(shaped(some_value(next++), leaf.shape())) * 0.02f; })
      .y;
}

}  // namespace espalier::law
