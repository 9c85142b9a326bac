#include <espalier/expr/functions/shape.h>

#include <algorithm>

#include "expr/functions/function.h"
#include "op/kernel/axis.h"

namespace espalier {

Expr broadcast(Expr x, int axis, int n, Where at) {
  const int rank = axis < 0 && x ? x.shape().rank : 0;  // -1 makes the new axis the last
  return single<op::Broadcast>({x}, {axis < 0 && axis + rank + 1 >= 0 ? axis + rank + 1 : axis, n}, at);
}
namespace {
// A scalar counts as a vector of one element.
Term joined(const Body& f) {
  std::vector<int> in(f.in.begin(), f.in.end());
  for (int& x : in)
    if (f.build.shape(x).rank == 0) x = f.build.make(info<op::Reshape>(), erase(op::Reshape::Attrs{{1}}), {&x, 1});
  return {&f.build, f.build.make(info<op::Concat>(), Attrs(f.attrs.begin(), f.attrs.end()), in)};
}
Expr join(std::span<const Operand> operands, int axis, Where at) {
  return record_function({op::Concat::doc.name, operands, erase(op::AxisAttrs{axis}), at}, joined);
}
}  // namespace
Expr concat(Operand a, Operand b) { return join(std::array{a, b}, 0, a.at); }
Expr concat(Operand a, Operand b, Operand c) { return join(std::array{a, b, c}, 0, a.at); }
Expr concat(Operand a, Operand b, Operand c, Operand d) { return join(std::array{a, b, c, d}, 0, a.at); }
namespace {
// Concatenates parts of at most 32 rows, the limit per call, then the results. Records nothing if a part throws.
Expr concat_in_parts(std::span<const Expr> rows, int axis, Where at) {
  constexpr size_t most = detail::CallArguments::most;
  GraphTape& tape = graph_of(rows[0], "concat", at);
  const GraphTape::Mark before = tape.mark();
  try {
    std::vector<Expr> parts;
    for (size_t i = 0; i < rows.size(); i += most)
      parts.push_back(concat(rows.subspan(i, std::min(most, rows.size() - i)), axis, at));
    return concat(parts, axis, at);
  } catch (...) {
    tape.revert(before);
    throw;
  }
}
}  // namespace
Expr concat(std::span<const Expr> rows, int axis, Where at) {
  if (rows.empty()) throw ShapeError("concat: nothing is given; at least one row is needed" + str(at));
  if (rows.size() > detail::CallArguments::most && rows[0] && !is_traced(rows[0]))
    return concat_in_parts(rows, axis, at);
  std::vector<Operand> operands;
  for (Expr r : rows) operands.emplace_back(r, at);
  return join(operands, axis_of(rows[0], axis), at);
}
Expr concat(std::initializer_list<Operand> rows, int axis, Where at) {
  if (const std::vector<Expr> exprs = only_exprs(rows); exprs.size() == rows.size()) return concat(exprs, axis, at);
  const int rank = rank_of(*rows.begin());
  return join({rows.begin(), rows.size()}, axis < 0 && axis + rank >= 0 ? axis + rank : axis, at);
}
Expr slice(Expr x, int begin, int end, int axis, Where at) {
  return single<op::Slice>({x}, {begin, end, axis_of(x, axis)}, at);
}
Expr pad(Expr x, int before, int after, int axis, Where at) {
  return single<op::Pad>({x}, {before, after, axis_of(x, axis)}, at);
}
Expr reshape(Expr x, Shape shape, Where at) { return single<op::Reshape>({x}, {shape}, at); }
namespace {
// Replaces a size of -1 by the size that follows from the number of elements.
Shape completed(std::initializer_list<int> sizes, const Shape& x, Where at) {
  std::vector<int> all(sizes);
  auto text = [&] {
    std::string s;
    for (int n : sizes) s += (s.empty() ? "" : ",") + std::to_string(n);
    return "reshape: x" + str(x) + " to [" + s + "]; ";
  };
  const auto open = std::find(all.begin(), all.end(), -1);
  if (std::count(all.begin(), all.end(), -1) > 1) throw ShapeError(text() + "at most one size may be -1" + str(at));
  if (open != all.end()) {
    *open = 1;
    const int64_t others = Shape::of(all.data(), static_cast<int>(all.size())).size();
    if (others == 0 || x.size() % others != 0)
      throw ShapeError(text() + "the other sizes must divide its " + std::to_string(x.size()) + " elements" + str(at));
    *open = op::axis_size("reshape", x.size() / others);
  }
  return Shape::of(all.data(), static_cast<int>(all.size()));
}
}  // namespace
Expr reshape(Expr x, std::initializer_list<int> sizes, Where at) {
  const bool open = x && std::find(sizes.begin(), sizes.end(), -1) != sizes.end();
  return reshape(x, open ? completed(sizes, x.shape(), at) : Shape(sizes), at);
}
Expr transpose(Expr x, Where at) { return single<op::Transpose>({x}, {}, at); }

namespace detail {
Expr part(Expr x, int k, int n, int axis, Where at) {
  if (!x) throw GraphError("split: an empty Expr is given; a value is needed" + str(at));
  const Shape s = x.shape();
  axis = axis_of(x, axis);
  if (axis < 0 || axis >= s.rank || s[axis] % n != 0)
    throw ShapeError("split: x" + str(s) + " along axis " + std::to_string(axis) + " into " + std::to_string(n) +
                     " parts; the axis must exist and divide evenly" + str(at));
  const int size = s[axis] / n;
  return slice(x, k * size, (k + 1) * size, axis, at);
}
}  // namespace detail

}  // namespace espalier
