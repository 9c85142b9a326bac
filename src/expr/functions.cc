// Each function is the body of a small cell: outside a cell it is called as one, inside it becomes part of the program.
#include <espalier/expr/functions.h>

#include "expr/record.h"
#include "op/all.h"

namespace espalier {
namespace {

using op::apply;
using op::Term;

Expr make(std::string_view name, std::initializer_list<Operand> operands, const Attrs& attrs, Where at,
          BodyFunction body, const Index* index = nullptr, Graph* graph = nullptr) {
  return record_function({name, {operands.begin(), operands.size()}, attrs, at, index, graph}, body);
}

// A function that is one op of rows.
template <class Op>
Expr single(std::initializer_list<Operand> operands, const typename Op::Attrs& attrs, Where at) {
  return make(Op::doc.name, operands, erase(attrs), at, [](const Body& f) -> Term {
    return {&f.build, f.build.make(info<Op>(), Attrs(f.attrs.begin(), f.attrs.end()), f.in)};
  });
}

// -1 is the last; what is out of range stays as the user wrote it.
int axis_of(Expr x, int axis) {
  if (axis >= 0 || !x) return axis;
  const int rank = x.shape().rank;
  return axis + rank < 0 ? axis : axis + rank;
}

}  // namespace

Expr operator+(Operand a, Operand b) { return single<op::Add>({a, b}, {}, a.at); }
Expr operator-(Operand a, Operand b) { return single<op::Sub>({a, b}, {}, a.at); }
Expr operator*(Operand a, Operand b) { return single<op::Mul>({a, b}, {}, a.at); }
Expr operator/(Operand a, Operand b) { return single<op::Div>({a, b}, {}, a.at); }
Expr operator-(Operand a) { return single<op::Neg>({a}, {}, a.at); }

#define ESPALIER_DEFINE(name, Op) \
  Expr name(Expr x, Where at) { return single<op::Op>({x}, {}, at); }
ESPALIER_UNARY_OPS(ESPALIER_DEFINE)
#undef ESPALIER_DEFINE
#define ESPALIER_DEFINE(name, Op, attribute, otherwise) \
  Expr name(Expr x, float attribute, Where at) { return single<op::Op>({x}, {attribute}, at); }
ESPALIER_UNARY_OPS_1(ESPALIER_DEFINE)
#undef ESPALIER_DEFINE

namespace {

// Matrices or vectors; a parameter times a vector is the product that all calls share.
Term product(Builder& build, Term x, Term y) {
  if (build.is_parameter(x.node) && y.shape().rank == 1) return apply<op::Linear>({}, {y, x});
  const bool row = x.shape().rank == 1, column = y.shape().rank == 1;
  if (row) x = apply<op::Reshape>({{1, x.shape()[0]}}, {x});
  if (column) y = apply<op::Reshape>({{y.shape()[0], 1}}, {y});
  const Term z = apply<op::Matmul>({}, {x, y});
  if (!row && !column) return z;
  return apply<op::Reshape>({row && column ? Shape{} : Shape{z.shape()[row ? 1 : 0]}}, {z});
}

// The bias of a product with W.
Term biased(Term y, Term b, Term W) {
  const int n = y.shape().rank == 0 ? 1 : y.shape()[y.shape().rank - 1];
  if (b.shape() != Shape{n})
    throw ShapeError("linear: b" + str(b.shape()) + " must be [" + std::to_string(n) + "], the rows of W" +
                     str(W.shape()));
  return y + (y.shape().rank == 2 ? apply<op::Broadcast>({0, y.shape()[0]}, {b}) : b);
}

}  // namespace

Expr linear(Expr x, Operand W, std::optional<Operand> b, Where at) {
  if (W.kind != Operand::Kind::parameter) {
    if (!b) return matmul(W, x, at);
    return make("linear", {x, W, *b}, {}, at,
                [](const Body& f) { return biased(product(f.build, f[1], f[0]), f[2], f[1]); });
  }
  if (!b) return single<op::Linear>({x, W}, {}, at);
  return make("linear", {x, W, *b}, {}, at,
              [](const Body& f) { return biased(apply<op::Linear>({}, {f[0], f[1]}), f[2], f[1]); });
}

Expr matmul(Operand a, Operand b, Where at) {
  return make("matmul", {a, b}, {}, at, [](const Body& f) { return product(f.build, f[0], f[1]); });
}

Expr dot(Operand a, Operand b) {
  return make("dot", {a, b}, {}, a.at, [](const Body& f) {
    if (f[0].shape() != f[1].shape())
      throw ShapeError("dot: a" + str(f[0].shape()) + " and b" + str(f[1].shape()) +
                       " differ; the shapes must be equal");
    return apply<op::SumElements>({}, {f[0] * f[1]});
  });
}

Expr softmax(Expr x, int axis, Where at) { return single<op::Softmax>({x}, {axis_of(x, axis)}, at); }
Expr log_softmax(Expr x, int axis, Where at) { return single<op::LogSoftmax>({x}, {axis_of(x, axis)}, at); }
Expr sum_axis(Expr x, int axis, Where at) { return single<op::SumAxis>({x}, {axis_of(x, axis)}, at); }
Expr mean_axis(Expr x, int axis, Where at) {
  return make("mean_axis", {x}, erase(op::AxisAttrs{axis_of(x, axis)}), at, [](const Body& f) {
    const int k = static_cast<int>(f.attrs[0]);
    const Term total = apply<op::SumAxis>({k}, {f[0]});
    return total * (1.0 / f[0].shape()[k]);
  });
}
Expr broadcast(Expr x, int axis, int n, Where at) {
  const int rank = axis < 0 && x ? x.shape().rank : 0;  // the new axis counts: -1 makes it the last
  return single<op::Broadcast>({x}, {axis < 0 && axis + rank + 1 >= 0 ? axis + rank + 1 : axis, n}, at);
}
Expr sum_elements(Expr x, Where at) { return single<op::SumElements>({x}, {}, at); }
Expr mean_elements(Expr x, Where at) {
  return make("mean_elements", {x}, {}, at, [](const Body& f) {
    return apply<op::SumElements>({}, {f[0]}) * (1.0 / static_cast<double>(std::max<int64_t>(f[0].shape().size(), 1)));
  });
}
Expr concat(Operand a, Operand b) { return single<op::Concat>({a, b}, {0}, a.at); }
Expr concat(Operand a, Operand b, Operand c) { return single<op::Concat>({a, b, c}, {0}, a.at); }
Expr concat(Operand a, Operand b, Operand c, Operand d) { return single<op::Concat>({a, b, c, d}, {0}, a.at); }
namespace {
// A call takes so many rows; more are joined part by part, all or none.
Expr concat_in_parts(std::span<const Expr> rows, int axis, Where at) {
  constexpr size_t most = detail::CallArguments::most;
  auto& tape = static_cast<GraphTape&>(*rows[0].tape());
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
  if (rows.size() > detail::CallArguments::most && rows[0] && !rows[0].tape()->tracing)
    return concat_in_parts(rows, axis, at);
  std::vector<Operand> operands;
  for (Expr r : rows) operands.emplace_back(r, at);
  return record_function(
      {op::Concat::doc.name, operands, erase(op::AxisAttrs{axis_of(rows[0], axis)}), at}, [](const Body& f) -> Term {
        return {&f.build, f.build.make(info<op::Concat>(), Attrs(f.attrs.begin(), f.attrs.end()), f.in)};
      });
}
Expr slice(Expr x, int begin, int end, int axis, Where at) {
  return single<op::Slice>({x}, {begin, end, axis_of(x, axis)}, at);
}
Expr pad(Expr x, int before, int after, int axis, Where at) {
  return single<op::Pad>({x}, {before, after, axis_of(x, axis)}, at);
}
Expr reshape(Expr x, Shape shape, Where at) { return single<op::Reshape>({x}, {shape}, at); }
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

Expr pick(Expr x, Index index, Where at) {
  return make("pick", {x}, {}, at, [](const Body& f) { return apply<op::Pick>({}, {f[0], f[1]}); }, &index);
}
Expr cross_entropy(Expr logits, Index target, Where at) {
  return make(
      "cross_entropy", {logits}, {}, at, [](const Body& f) { return apply<op::CrossEntropy>({}, {f[0], f[1]}); },
      &target);
}

Expr mse_loss(Operand x, Operand target) {
  return make("mse_loss", {x, target}, {}, x.at, [](const Body& f) {
    const Term d = f[0] - f[1];
    return apply<op::SumElements>({}, {d * d}) * (1.0 / static_cast<double>(std::max<int64_t>(d.shape().size(), 1)));
  });
}
Expr dropout(Expr x, float p, Where at) {
  return make("dropout", {x}, erase(op::MaskAttrs{p, 0}), at, [](const Body& f) {
    return f[0] * apply<op::DropoutMask>({static_cast<float>(f.attrs[0]), f.build.site()}, {f[0]});
  });
}

namespace {

Expr fold_traced(std::span<const Expr> rows, Where at) {
  Expr total = rows[0];
  for (size_t i = 1; i < rows.size(); ++i) total = single<op::Add>({rows[i], total}, {}, at);
  return total;
}
bool traced(std::span<const Expr> rows) { return !rows.empty() && rows[0] && rows[0].tape()->tracing; }

Term mean_of(Term rows) { return apply<op::SumRows>({}, {rows}) * apply<op::InverseCount>({}, {rows}); }

}  // namespace

Expr sum(std::span<const Expr> rows, Where at) {
  if (traced(rows)) return fold_traced(rows, at);
  return record_over_rows("sum", rows, at, [](const Body& f) { return apply<op::SumRows>({}, {f[0]}); });
}
Expr mean(std::span<const Expr> rows, Where at) {
  if (traced(rows)) return fold_traced(rows, at) * (1.f / static_cast<float>(rows.size()));
  return record_over_rows("mean", rows, at, [](const Body& f) { return mean_of(f[0]); });
}

Expr sum_rows(Expr rows, Where at) { return single<op::SumRows>({rows}, {}, at); }
Expr mean_rows(Expr rows, Where at) {
  return make("mean_rows", {rows}, {}, at, [](const Body& f) {
    if (!f.build.is_list(f[0].node))
      throw ShapeError("mean_rows: x" + str(f[0].shape()) + " is one row; the rows of a Many are needed");
    return mean_of(f[0]);
  });
}
Expr max_rows(Expr rows, Where at) { return single<op::MaxRows>({rows}, {}, at); }
bool over_rows(Expr x) {
  if (!x || !x.tape()->tracing) return false;
  auto& trace = static_cast<Trace&>(*x.tape());
  return trace.program.node(traced_node(trace, x, "over_rows", {})).space > call_space;
}
Expr softmax_rows(Expr rows, Where at) { return single<op::SoftmaxRows>({rows}, {}, at); }

Expr input(Graph& g, std::span<const float> data, Shape shape, Where at) {
  if (static_cast<int64_t>(data.size()) != shape.size())
    throw ShapeError("input: " + std::to_string(data.size()) + " numbers are given for " + str(shape) + "; it needs " +
                     std::to_string(shape.size()) + str(at));
  GraphTape& tape = g.tape();
  const Index offset(static_cast<int>(tape.data.size()));
  tape.data.insert(tape.data.end(), data.begin(), data.end());
  return make(
      "input", {}, erase(op::ShapeAttrs{shape}), at,
      [](const Body& f) -> Term {
        return {&f.build, f.build.make(info<op::InputRow>(), Attrs(f.attrs.begin(), f.attrs.end()), f.in)};
      },
      &offset, &g);
}
Expr input(Graph& g, float value, Where at) { return input(g, {&value, 1}, {}, at); }

Expr full(Graph& g, Shape shape, float value, Where at) {
  return make(
      "full", {}, erase(op::FullAttrs{shape, value}), at,
      [](const Body& f) -> Term {
        return {&f.build, f.build.make(info<op::Full>(), Attrs(f.attrs.begin(), f.attrs.end()), {})};
      },
      nullptr, &g);
}
Expr zeros(Graph& g, Shape shape, Where at) { return full(g, shape, 0, at); }

namespace {
Expr one_hot_of(Graph* g, int n, Index index, Where at) {
  return make(
      "one_hot", {}, erase(op::CountAttrs{n}), at,
      [](const Body& f) -> Term {
        return {&f.build, f.build.make(info<op::OneHot>(), Attrs(f.attrs.begin(), f.attrs.end()), f.in)};
      },
      &index, g);
}
Expr lookup_of(Graph* g, const Lookup& table, Index index, Where at) {
  return make(
      "lookup", {Operand(table, at)}, {}, at, [](const Body& f) { return apply<op::Lookup>({}, {f[0], f[1]}); }, &index,
      g);
}
}  // namespace
Expr one_hot(Graph& g, int n, Index index, Where at) { return one_hot_of(&g, n, index, at); }
Expr one_hot(int n, Index index, Where at) { return one_hot_of(nullptr, n, index, at); }
Expr lookup(Graph& g, const Lookup& table, Index index, Where at) { return lookup_of(&g, table, index, at); }
Expr lookup(const Lookup& table, Index index, Where at) { return lookup_of(nullptr, table, index, at); }

Expr row(Graph& g, const Parameter& p, Where at) {
  return make("row", {Operand(p, at)}, {}, at, [](const Body& f) { return apply<op::Copy>({}, {f[0]}); }, nullptr, &g);
}

}  // namespace espalier
