// OpInfo: one row of the table of ops. op/describe.h builds it from the op's struct; other components see only the
// table.
#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/error.h>
#include "op/attrs.h"
#include "op/formula.h"
#include "op/term.h"

namespace espalier {

// How an input is read when many calls run as one step.
enum class Role : uint8_t {
  row,     // one row per call, or a parameter shared by all rows
  shared,  // a parameter: its identity is part of the batching key
  list,    // the rows of a variadic group
  index,   // one integer per call: data, never part of the key
};
struct Input {
  std::string_view name;
  Role role = Role::row;
};

// There are three kinds of op. An element-wise op is given by a formula. A composed op is replaced by other ops when a
// program is built, so executors never see it. Any other op has a kernel in each executor.

// The row space of the result, relative to the inputs: the same, the call's, or the list's.
enum class Place : uint8_t { same, call, list };

struct Doc {
  std::string_view name, text, math;
};

// A case that must work: attributes, shapes of the inputs, and the range from which values are drawn.
struct Sample {
  Attrs attrs;
  std::vector<Shape> shapes;
  double lo = -2, hi = 2;
  bool operator==(const Sample&) const = default;
};
// A case that must be rejected with exactly this message.
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
  std::span<const Input> inputs;  // if `many`: one element, which describes all inputs
  bool many = false;              // takes any number of inputs (concat)
  bool random = false;            // its last attribute is the site
  bool elementwise = false;
  bool takes_shared = false;  // reads rows shared by all calls in place; other non-element-wise ops get a copy
  bool keeps_sparse = false;  // a table that it reads keeps its sparse gradient
  int min_rows = 0;           // minimum length of a list that it reduces
  Place place = Place::same;
  int degree = 0;           // polynomial degree of its largest terms, for the law "large"; 0: linear in each operand
  double tolerance = 1e-5;  // of a float result against the reference, relative to the size of its terms
  Shape (*infer)(const Attrs&, std::span<const Shape>) = nullptr;
  bool (*own_slope)(const Attrs&) = nullptr;  // whether its gradient intentionally differs from its derivative
  void (*gradient)(const Attrs&, op::Adjoint&) = nullptr;  // null, and not composed: the op stops gradients
  op::Term (*compose)(const Attrs&, std::span<const op::Term>) = nullptr;
  Formula (*formula)(const Attrs&) = nullptr;  // element-wise only
  double (*value)(const Attrs&, const double* in) = nullptr;
  int (*index_limit)(const Attrs&, std::span<const Shape>) = nullptr;  // exclusive upper bound of an index
  double (*flops)(const Attrs&, std::span<const Shape>, const Shape& out) = nullptr;
  std::span<const std::string_view> attr_names;
  std::span<const AttrKind> attr_kinds;            // one per name
  std::vector<Sample> (*own_samples)() = nullptr;  // null for a custom op
  std::vector<Reject> (*own_rejects)() = nullptr;
  // Custom ops only: the kernels, and the op that computes the gradient.
  const detail::CustomOpTable* custom = nullptr;
  const OpInfo* custom_gradient = nullptr;
  bool is_custom_gradient = false;
  std::string text(const Attrs& attrs) const { return attrs_text(attrs, attr_names, attr_kinds); }
  std::vector<Sample> samples() const;
  std::vector<Reject> rejects() const { return own_rejects == nullptr ? std::vector<Reject>() : own_rejects(); }
  bool differentiable() const { return gradient != nullptr || compose != nullptr; }
};

// All ops of the library, by name.
std::span<const OpInfo* const> op_table();
const OpInfo* find_op(std::string_view name);  // includes custom ops; null if not found

// The row of the table for Op; its address identifies the op. op/table.cc instantiates it once for the library's ops,
// so callers need not compile the op.
template <class Op>
const OpInfo& info();

namespace op {
// apply<Op>(attributes, terms) adds a node. It is an object, so that ADL on std::span does not find std::apply.
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
