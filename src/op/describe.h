// Builds a row of the op table from the op's struct, which holds everything the library knows about the op.
#pragma once
#include "op/op.h"

namespace espalier {
namespace detail {

template <class Op, size_t... I>
Formula record_formula(const typename Op::Attrs& a, std::index_sequence<I...>) {
  Formula f;
  f.inputs = f.registers = sizeof...(I);
  const op::Symbol y = Op::template value<op::Symbol>(a, op::Symbol(&f, static_cast<uint16_t>(I))...);
  f.result = y.in(&f);
  return f;
}
template <class Op, size_t... I>
double evaluate(const typename Op::Attrs& a, [[maybe_unused]] const double* in, std::index_sequence<I...>) {
  return Op::template value<double>(a, in[I]...);
}

template <class Op>
OpInfo describe() {
  using A = typename Op::Attrs;
  static_assert(!Op::doc.name.empty() && !Op::doc.text.empty() && !Op::doc.math.empty(), "an op documents itself");
  static_assert(std::is_aggregate_v<A>, "Attrs is a plain aggregate");
  static_assert(Op::attr_names.size() == field_count<A>, "name every field of Attrs in attr_names");
  OpInfo info;
  info.doc = Op::doc;
  info.inputs = Op::inputs;
  info.attr_names = Op::attr_names;
  if constexpr (requires { Op::many; }) info.many = Op::many;
  if constexpr (requires { Op::random; }) info.random = Op::random;
  if constexpr (requires { Op::takes_shared; }) info.takes_shared = Op::takes_shared;
  if constexpr (requires { Op::keeps_sparse; }) info.keeps_sparse = Op::keeps_sparse;
  if constexpr (requires { Op::min_rows; }) info.min_rows = Op::min_rows;
  if constexpr (requires { Op::place; }) info.place = Op::place;
  if constexpr (requires { Op::degree; }) info.degree = Op::degree;
  if constexpr (requires { Op::tolerance; }) info.tolerance = Op::tolerance;
  info.infer = [](const Attrs& a, std::span<const Shape> s) { return Op::infer(unerase<A>(a), s); };
  info.attr_kinds = attr_kinds<A>;
  info.own_samples = [] { return Op::samples(); };
  info.own_rejects = [] { return Op::rejects(); };
  if constexpr (requires(const A& a) { Op::own_slope(a); })
    info.own_slope = [](const Attrs& a) { return Op::own_slope(unerase<A>(a)); };
  else if constexpr (requires { Op::own_slope; })
    info.own_slope = [](const Attrs&) { return Op::own_slope; };
  else
    info.own_slope = [](const Attrs&) { return false; };
  if constexpr (requires(const A& a, op::Adjoint& g) { Op::gradient(a, g); })
    info.gradient = [](const Attrs& a, op::Adjoint& g) { Op::gradient(unerase<A>(a), g); };
  if constexpr (requires { &Op::compose; })
    info.compose = [](const Attrs& a, std::span<const op::Term> in) { return Op::compose(unerase<A>(a), in); };
  if constexpr (requires { Op::elementwise; }) {
    using Inputs = std::make_index_sequence<Op::inputs.size()>;
    info.elementwise = true;
    info.formula = [](const Attrs& a) { return record_formula<Op>(unerase<A>(a), Inputs{}); };
    info.value = [](const Attrs& a, const double* in) { return evaluate<Op>(unerase<A>(a), in, Inputs{}); };
  }
  if constexpr (requires { &Op::index_limit; })
    info.index_limit = [](const Attrs& a, std::span<const Shape> s) { return Op::index_limit(unerase<A>(a), s); };
  if constexpr (requires { &Op::flops; })
    info.flops = [](const Attrs& a, std::span<const Shape> s, const Shape& out) {
      return Op::flops(unerase<A>(a), s, out);
    };
  else
    info.flops = [](const Attrs&, std::span<const Shape>, const Shape& out) { return static_cast<double>(out.size()); };
  return info;
}

}  // namespace detail

template <class Op>
const OpInfo& info() {
  static const OpInfo row = detail::describe<Op>();
  return row;
}

}  // namespace espalier
