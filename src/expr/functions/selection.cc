#include <espalier/expr/functions/selection.h>

#include <espalier/expr/functions/shape.h>
#include "expr/functions/function.h"
#include "op/kernel/indexed.h"
#include "op/kernel/selection.h"

namespace espalier {

Expr pick(Expr x, Index index, int axis, Where at) { return single<op::Pick>({x}, {axis_of(x, axis)}, at, &index); }

namespace {

// Splits the arguments into parts of at most 32, the limit per call, and concatenates the results. Records nothing if a
// part throws.
template <class T, class F>
Expr in_parts(GraphTape& tape, std::span<const T> all, int axis, Where at, F part) {
  constexpr size_t most = detail::CallArguments::most;
  const GraphTape::Mark before = tape.mark();
  try {
    std::vector<Expr> parts;
    for (size_t i = 0; i < all.size(); i += most) parts.push_back(part(all.subspan(i, std::min(most, all.size() - i))));
    return concat(parts, axis, at);
  } catch (...) {
    tape.revert(before);
    throw;
  }
}
bool too_many(size_t n, Expr x) { return n > detail::CallArguments::most && x && !is_traced(x); }

Term picked(const Body& f) {
  std::vector<Term> parts;
  const op::AxisAttrs axis{static_cast<int>(f.attrs[0])};
  for (size_t i = 1; i < f.in.size(); ++i) parts.push_back(apply<op::Pick>(axis, {f[0], f[i]}));
  return apply<op::Stack>(axis, parts);
}

}  // namespace

Expr select(Expr x, std::span<const Index> indices, int axis, Where at) {
  if (indices.empty()) throw ShapeError("select: no index is given; at least one is needed" + str(at));
  axis = axis_of(x, axis);
  if (too_many(indices.size(), x))
    return in_parts(graph_of(x, "select", at), indices, axis, at,
                    [&](std::span<const Index> some) { return select(x, some, axis, at); });
  const std::array<Operand, 1> operands{x};
  const std::array attrs{static_cast<double>(axis), static_cast<double>(indices.size())};
  return record_function({"select", operands, attrs, at, indices}, picked);
}
Expr select(Expr x, std::span<const int> indices, int axis, Where at) {
  const std::vector<Index> all(indices.begin(), indices.end());
  return select(x, all, axis, at);
}

Expr strided_slice(Expr x, int begin, int end, int step, int axis, Where at) {
  return single<op::StridedSlice>({x}, {begin, end, step, axis_of(x, axis)}, at);
}
Expr flip(Expr x, int axis, Where at) {
  axis = axis_of(x, axis);
  const int n = x && axis >= 0 && axis < x.shape().rank ? x.shape()[axis] : 1;
  return strided_slice(x, n - 1, -1, -1, axis, at);
}
Expr permute(Expr x, Shape order, Where at) { return single<op::Permute>({x}, {order}, at); }

Expr stack(std::span<const Expr> rows, int axis, Where at) {
  if (rows.empty()) throw ShapeError("stack: nothing is given; at least one row is needed" + str(at));
  if (rows[0] && axis < 0) axis = std::max(axis + rows[0].shape().rank + 1, -1);  // -1 makes the new axis the last
  if (too_many(rows.size(), rows[0]))
    return in_parts(graph_of(rows[0], "stack", at), rows, axis, at,
                    [&](std::span<const Expr> some) { return stack(some, axis, at); });
  std::vector<Operand> operands;
  for (Expr r : rows) operands.emplace_back(r, at);
  return record_function({op::Stack::doc.name, operands, erase(op::AxisAttrs{axis}), at}, one_op<op::Stack>);
}

Expr stack(std::initializer_list<Operand> rows, int axis, Where at) {
  if (const std::vector<Expr> exprs = only_exprs(rows); exprs.size() == rows.size()) return stack(exprs, axis, at);
  if (axis < 0) axis = std::max(axis + rank_of(*rows.begin()) + 1, -1);
  return record_function({op::Stack::doc.name, {rows.begin(), rows.size()}, erase(op::AxisAttrs{axis}), at},
                         one_op<op::Stack>);
}

Expr kmax_pooling(Expr x, int k, int axis, Where at) { return single<op::KmaxPooling>({x}, {k, axis_of(x, axis)}, at); }

}  // namespace espalier
