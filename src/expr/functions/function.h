// What the functions of Exprs are written with. Each is the body of a small cell: outside a cell it is called as one,
// inside it becomes part of the program.
#pragma once
#include "expr/record.h"

namespace espalier {

using op::apply;
using op::Term;

inline Expr make(std::string_view name, std::initializer_list<Operand> operands, const Attrs& attrs, Where at,
                 BodyFunction body, const Index* index = nullptr, Graph* graph = nullptr) {
  return record_function({name,
                          {operands.begin(), operands.size()},
                          attrs,
                          at,
                          {index, index == nullptr ? 0u : 1u},
                          graph == nullptr ? nullptr : &graph->tape()},
                         body);
}

// The body of a function that is one op.
template <class Op>
Term one_op(const Body& f) {
  return {&f.build, f.build.make(info<Op>(), Attrs(f.attrs.begin(), f.attrs.end()), f.in)};
}
// The same where only the table knows the op.
inline Term op_of_that_name(const Body& f) {
  return {&f.build, f.build.make(*find_op(f.name), Attrs(f.attrs.begin(), f.attrs.end()), f.in)};
}
// The op's integer, if it has one, is its last input.
template <class Op>
Expr single(std::initializer_list<Operand> operands, const typename Op::Attrs& attrs, Where at,
            const Index* index = nullptr, Graph* graph = nullptr) {
  return make(Op::doc.name, operands, erase(attrs), at, one_op<Op>, index, graph);
}

// A function whose attributes are floats. Outside a cell they are numbers of the call, so that calls with different
// ones batch and no program is made for each; inside a cell they are constants of the program. `body` is the op,
// written in other ops: its first operand is x, the others are the attributes.
template <class Op>
Expr by_numbers(Expr x, const typename Op::Attrs& attrs, Where at, BodyFunction body) {
  if (!x || is_traced(x)) return single<Op>({x}, attrs, at);
  const auto operands =
      std::apply([&](const auto&... a) { return std::array{Operand(x, at), Operand(static_cast<float>(a), at)...}; },
                 fields(attrs));
  return record_function({Op::doc.name, operands, {}, at}, body);
}

// Rows that are written down: the Exprs, if they are nothing else; else none.
inline std::vector<Expr> only_exprs(std::initializer_list<Operand> rows) {
  std::vector<Expr> exprs;
  for (const Operand& o : rows)
    if (o.kind == Operand::Kind::expr) exprs.push_back(o.expr);
  if (exprs.size() < rows.size()) exprs.clear();
  return exprs;
}
inline int rank_of(const Operand& o) {
  if (o.kind == Operand::Kind::parameter) return o.parameter->shape().rank;
  return o.kind == Operand::Kind::expr && o.expr ? o.expr.shape().rank : 0;
}

// -1 is the last; what is out of range stays as the user wrote it.
inline int axis_of(Expr x, int axis) {
  if (axis >= 0 || !x) return axis;
  const int rank = x.shape().rank;
  return axis + rank < 0 ? axis : axis + rank;
}

}  // namespace espalier
