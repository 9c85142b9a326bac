// Building blocks of the op functions. Each function is the body of a small cell: outside a cell it records a call of
// that cell, inside a cell it becomes part of the program.
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

// The body of a function that consists of one op.
template <class Op>
Term one_op(const Body& f) {
  return {&f.build, f.build.make(info<Op>(), Attrs(f.attrs.begin(), f.attrs.end()), f.in)};
}
// The same for an op that is looked up by name.
inline Term op_of_that_name(const Body& f) {
  return {&f.build, f.build.make(*find_op(f.name), Attrs(f.attrs.begin(), f.attrs.end()), f.in)};
}
// A function of one op. The index, if given, becomes the op's last input.
template <class Op>
Expr single(std::initializer_list<Operand> operands, const typename Op::Attrs& attrs, Where at,
            const Index* index = nullptr, Graph* graph = nullptr) {
  return make(Op::doc.name, operands, erase(attrs), at, one_op<Op>, index, graph);
}

// A function whose attributes are floats. Outside a cell the attributes are Numbers of the call, so that calls with
// different attributes share one program and batch together; inside a cell they are constants of the program. `body`
// expresses the op in other ops: its first operand is x, the others are the attributes.
template <class Op>
Expr by_numbers(Expr x, const typename Op::Attrs& attrs, Where at, BodyFunction body) {
  if (!x || is_traced(x)) return single<Op>({x}, attrs, at);
  const auto operands =
      std::apply([&](const auto&... a) { return std::array{Operand(x, at), Operand(static_cast<float>(a), at)...}; },
                 fields(attrs));
  return record_function({Op::doc.name, operands, {}, at}, body);
}

// The rows of an initializer list if all of them are Exprs; else an empty vector.
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

// Resolves a negative axis (-1 is the last). An axis out of range is returned unchanged, for the error message.
inline int axis_of(Expr x, int axis) {
  if (axis >= 0 || !x) return axis;
  const int rank = x.shape().rank;
  return axis + rank < 0 ? axis : axis + rank;
}

}  // namespace espalier
