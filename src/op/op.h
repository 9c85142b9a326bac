// OpInfo: a row of the table of ops. op/describe.h makes it from the op's struct; other components see only the table.
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
  std::span<const std::string_view> attr_names;
  std::span<const AttrKind> attr_kinds;            // one per name
  std::vector<Sample> (*own_samples)() = nullptr;  // null: of an op from outside
  std::vector<Reject> (*own_rejects)() = nullptr;
  // Of an op from outside: its kernels, and the op that is its gradient.
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
const OpInfo* find_op(std::string_view name);  // those from outside, too; null where there is none

// The row of the table that belongs to Op; its address is the op's identity. op/table.cc defines it for the library's
// ops, once: a file that calls it need not compile the whole op.
template <class Op>
const OpInfo& info();

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
