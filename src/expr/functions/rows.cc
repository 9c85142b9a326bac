#include <espalier/expr/functions/rows.h>

#include <espalier/expr/functions/axis.h>
#include <espalier/expr/functions/selection.h>
#include "expr/functions/function.h"
#include "op/composed/attention.h"
#include "op/composed/mean.h"
#include "op/kernel/extrema.h"
#include "op/kernel/logsumexp.h"

namespace espalier {

namespace {

Expr fold_traced(std::span<const Expr> rows, Where at) {
  Expr total = rows[0];
  for (size_t i = 1; i < rows.size(); ++i) total = single<op::Add>({rows[i], total}, {}, at);
  return total;
}
bool traced(std::span<const Expr> rows) { return !rows.empty() && is_traced(rows[0]); }

}  // namespace

Expr sum(std::span<const Expr> rows, Where at) {
  if (traced(rows)) return fold_traced(rows, at);
  return record_over_rows("sum", rows, at, one_op<op::SumRows>);
}
Expr mean(std::span<const Expr> rows, Where at) {
  if (traced(rows)) return fold_traced(rows, at) * (1.f / static_cast<float>(rows.size()));
  return record_over_rows("mean", rows, at, one_op<op::MeanRows>);
}

Expr max(std::span<const Expr> rows, Where at) {
  if (traced(rows)) return max_axis(stack(rows, 0, at), 0, at);
  return record_over_rows("max", rows, at, one_op<op::MaxRows>);
}
Expr min(std::span<const Expr> rows, Where at) {
  if (traced(rows)) return min_axis(stack(rows, 0, at), 0, at);
  return record_over_rows("min", rows, at, one_op<op::MinRows>);
}
Expr logsumexp(std::span<const Expr> rows, Where at) {
  if (traced(rows)) return logsumexp(stack(rows, 0, at), 0, at);
  return record_over_rows("logsumexp", rows, at, one_op<op::LogSumExpRows>);
}

// With parameters or floats among the operands, adds them one by one, like a + b.
Expr sum(std::initializer_list<Operand> rows, Where at) {
  if (const std::vector<Expr> exprs = only_exprs(rows); exprs.size() == rows.size()) return sum(exprs, at);
  return record_function({"sum", {rows.begin(), rows.size()}, {}, at}, [](const Body& f) {
    Term total = f[0];
    for (size_t i = 1; i < f.in.size(); ++i) total = total + f[i];
    return total;
  });
}
Expr mean(std::initializer_list<Expr> rows, Where at) { return mean(std::span(rows.begin(), rows.size()), at); }
Expr max(std::initializer_list<Expr> rows, Where at) { return max(std::span(rows.begin(), rows.size()), at); }
Expr min(std::initializer_list<Expr> rows, Where at) { return min(std::span(rows.begin(), rows.size()), at); }
Expr logsumexp(std::initializer_list<Expr> rows, Where at) {
  return logsumexp(std::span(rows.begin(), rows.size()), at);
}

Expr sum_rows(Expr rows, Where at) { return single<op::SumRows>({rows}, {}, at); }
Expr mean_rows(Expr rows, Where at) { return single<op::MeanRows>({rows}, {}, at); }
Expr max_rows(Expr rows, Where at) { return single<op::MaxRows>({rows}, {}, at); }
Expr min_rows(Expr rows, Where at) { return single<op::MinRows>({rows}, {}, at); }
Expr logsumexp_rows(Expr rows, Where at) { return single<op::LogSumExpRows>({rows}, {}, at); }
// Of a value in a cell: call_space, or the space of the rows of a list argument.
int space_of(Expr x) {
  if (!is_traced(x)) return call_space;
  Trace& trace = trace_of(x, "over_rows", {});
  return trace.program.node(traced_node(trace, x, "over_rows", {})).space;
}
bool over_rows(Expr x) { return space_of(x) > call_space; }
Expr attention(Expr query, Expr keys, Expr values, Where at) {
  if (over_rows(query))
    throw ShapeError("attention: the query is a list of rows" + str(query.shape()) + "; it must be one row" + str(at));
  if (over_rows(keys) && over_rows(values) && space_of(keys) != space_of(values))
    throw ShapeError(
        "attention: keys and values are rows of two lists; they must be the fields of one list argument, so that each "
        "key has its value" +
        str(at));
  return single<op::Attention>({query, keys, values}, {}, at);
}
Expr softmax_rows(Expr rows, Where at) { return single<op::SoftmaxRows>({rows}, {}, at); }

}  // namespace espalier
