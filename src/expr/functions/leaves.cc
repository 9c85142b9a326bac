#include <espalier/expr/functions/leaves.h>

#include "expr/functions/function.h"
#include "op/kernel/indexed.h"

namespace espalier {

Expr input(Graph& g, std::span<const float> data, Shape shape, Where at) {
  if (static_cast<int64_t>(data.size()) != shape.size())
    throw ShapeError("input: " + std::to_string(data.size()) + " numbers are given for " + str(shape) + "; it needs " +
                     std::to_string(shape.size()) + str(at));
  GraphTape& tape = g.tape();
  const Index offset(tape.data.size());
  tape.data.insert(tape.data.end(), data.begin(), data.end());
  return single<op::InputRow>({}, {shape}, at, &offset, &g);
}
Expr input(Graph& g, float value, Where at) { return input(g, {&value, 1}, {}, at); }

Expr full(Graph& g, Shape shape, float value, Where at) {
  return single<op::Full>({}, {shape, value}, at, nullptr, &g);
}
Expr zeros(Graph& g, Shape shape, Where at) { return full(g, shape, 0, at); }
Expr ones(Graph& g, Shape shape, Where at) { return full(g, shape, 1, at); }

Expr one_hot(Graph& g, int n, Index index, Where at) { return single<op::OneHot>({}, {n}, at, &index, &g); }
Expr one_hot(int n, Index index, Where at) { return single<op::OneHot>({}, {n}, at, &index); }
Expr lookup(Graph& g, const Lookup& table, Index index, Where at) {
  return single<op::Lookup>({Operand(table, at)}, {}, at, &index, &g);
}
Expr lookup(const Lookup& table, Index index, Where at) {
  return single<op::Lookup>({Operand(table, at)}, {}, at, &index);
}

Expr row(Graph& g, const Parameter& p, Where at) {
  return make("row", {Operand(p, at)}, {}, at, [](const Body& f) { return apply<op::Copy>({}, {f[0]}); }, nullptr, &g);
}

}  // namespace espalier
