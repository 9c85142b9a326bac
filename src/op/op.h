// What an op is. Everything the library knows about one is read off a single struct; this file turns that struct into
// a row of a type-erased table, which is all that other rooms see.
#pragma once
#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/error.h>
#include "op/attrs.h"
#include "op/formula.h"
#include "op/term.h"

namespace espalier {

// How an input takes part when many calls run as one step.
enum class Role : uint8_t {
  row,     // one row per call, or a parameter that all rows share
  shared,  // a parameter: its identity is part of the key
  list,    // the rows of a variadic group
  index,   // one integer per call: data, never part of the key
};
struct Input {
  std::string_view name;
  Role role = Role::row;
};

// An op comes in three kinds: element-wise, by a formula; composed, by other ops, into which it turns where a program
// is built, so that no executor ever meets it; and any other, with a kernel in each executor.

// Where the result lives, seen from the inputs.
enum class Place : uint8_t { same, call, list };

struct Doc {
  std::string_view name, text, math;
};

// A case that must work: shapes of the inputs, the range values are drawn from; for index inputs, `limit`.
struct Sample {
  Attrs attrs;
  std::vector<Shape> shapes;
  double lo = -2, hi = 2;
  bool operator==(const Sample&) const = default;
};
// A case that must be refused, with the exact message.
struct Reject {
  Attrs attrs;
  std::vector<Shape> shapes;
  std::string_view message;
};

namespace detail {
struct CustomOpTable;
}

struct OpInfo {
  Doc doc;
  std::span<const Input> inputs;  // of a `many` op: one, which stands for all
  bool many = false;              // any number of inputs (concat)
  bool random = false;            // its last attribute is its site
  bool elementwise = false;
  bool takes_shared =
      false;  // its rows may be one that all calls share; of other ops that are not element-wise, a copy
  bool keeps_sparse = false;  // a table that it reads keeps its sparse gradient
  int least_rows = 0;         // a list that it reduces must have as many
  Place place = Place::same;
  int degree = 0;           // of its largest terms in its inputs; 0: in each of its operands, one
  double tolerance = 1e-5;  // of a float result against the reference, relative to the size of its terms
  Shape (*infer)(const Attrs&, std::span<const Shape>) = nullptr;
  bool (*own_slope)(const Attrs&) = nullptr;  // whether its gradient is not its slope, and is not meant to be
  void (*gradient)(const Attrs&, op::Adjoint&) = nullptr;  // none, and not composed: the op stops gradients
  op::Term (*compose)(const Attrs&, std::span<const op::Term>) = nullptr;
  Formula (*formula)(const Attrs&) = nullptr;  // element-wise only
  double (*value)(const Attrs&, const double* in) = nullptr;
  int (*index_limit)(const Attrs&, std::span<const Shape>) = nullptr;  // an index must be below this
  double (*flops)(const Attrs&, std::span<const Shape>, const Shape& out) = nullptr;
  std::function<std::string(const Attrs&)> text;
  std::span<const std::string_view> attr_names;
  std::function<std::vector<Sample>()> samples;
  std::function<std::vector<Reject>()> rejects;
  // Of an op from outside: its kernels, and the op that is its gradient.
  const detail::CustomOpTable* custom = nullptr;
  const OpInfo* custom_gradient = nullptr;
  bool is_custom_gradient = false;
  bool differentiable() const { return gradient != nullptr || compose != nullptr; }
};

// All ops of the library, by name.
std::span<const OpInfo* const> op_table();
const OpInfo* find_op(std::string_view name);  // those from outside, too; null where there is none

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
  if constexpr (requires { Op::least_rows; }) info.least_rows = Op::least_rows;
  if constexpr (requires { Op::place; }) info.place = Op::place;
  if constexpr (requires { Op::degree; }) info.degree = Op::degree;
  if constexpr (requires { Op::tolerance; }) info.tolerance = Op::tolerance;
  info.infer = [](const Attrs& a, std::span<const Shape> s) { return Op::infer(unerase<A>(a), s); };
  info.text = [](const Attrs& a) { return attrs_text<A>(a, Op::attr_names); };
  info.samples = [] { return Op::samples(); };
  info.rejects = [] { return Op::rejects(); };
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

// The row of the table that belongs to Op; its address is the op's identity.
template <class Op>
const OpInfo& info() {
  static const OpInfo row = detail::describe<Op>();
  return row;
}

namespace op {
// apply<Op>(attributes, terms) adds a node. An object, not a function: a span would bring in std::apply as another.
template <class Op>
struct Apply {
  Term operator()(const typename Op::Attrs& attrs, std::span<const Term> in) const {
    std::vector<int> nodes;
    for (const Term& t : in) nodes.push_back(t.node);
    Maker* maker = in[0].maker;
    return {maker, maker->make(info<Op>(), erase(attrs), nodes)};
  }
  Term operator()(const typename Op::Attrs& attrs, std::initializer_list<Term> in) const {
    return (*this)(attrs, std::span<const Term>(in.begin(), in.size()));
  }
};
template <class Op>
inline constexpr Apply<Op> apply{};
}  // namespace op

}  // namespace espalier
