#include <espalier/expr/functions/leaves.h>

#include "expr/functions/function.h"
#include "op/kernel/indexed.h"

namespace espalier {

Expr input(Graph& g, std::span<const float> data, Shape shape, Where at) {
  if (static_cast<int64_t>(data.size()) != shape.size())
    throw ShapeError("input: " + std::to_string(data.size()) + " numbers are given for " + str(shape) + "; it needs " +
                     std::to_string(shape.size()) + str(at));
  GraphTape& tape = g.tape();
  const size_t before = tape.data.size();
  const uint32_t calls = tape.calls();
  const Index offset(tape.next_data(data.size(), at));
  tape.data.insert(tape.data.end(), data.begin(), data.end());  // before the call: in immediate mode it runs at once
  try {
    return single<op::InputRow>({}, {shape}, at, &offset, &g);
  } catch (...) {
    if (tape.calls() == calls) tape.data.resize(before);  // the call was not recorded
    throw;
  }
}
Expr input(Graph& g, float value, Where at) { return input(g, {&value, 1}, {}, at); }

// The value is a Number of the call, added to a constant -0: -0 + value equals value bit by bit.
Expr full(Graph& g, Shape shape, float value, Where at) {
  return make(
      op::Full::doc.name, {Operand(value, at)}, erase(op::FullAttrs{shape, -0.f}), at,
      [](const Body& f) {
        return Term{&f.build, f.build.make(info<op::Full>(), Attrs(f.attrs.begin(), f.attrs.end()), {})} + f[0];
      },
      nullptr, &g);
}
// Constants of the program: no argument to record per call.
Expr zeros(Graph& g, Shape shape, Where at) { return single<op::Full>({}, {shape, 0}, at, nullptr, &g); }
Expr ones(Graph& g, Shape shape, Where at) { return single<op::Full>({}, {shape, 1}, at, nullptr, &g); }

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
