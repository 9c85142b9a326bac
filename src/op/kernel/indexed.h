// Ops that read an integer argument of the call: tables, labels, positions.
#pragma once
#include <climits>

#include "op/kernel/axis.h"

namespace espalier::op {

struct CountAttrs {
  int n = 1;
};

struct InputRow {
  using Attrs = ShapeAttrs;
  static constexpr Doc doc{"input", "Values given by the user.", "y = data[offset …]"};
  static constexpr std::array<std::string_view, 1> attr_names{"shape"};
  static constexpr std::array inputs{Input{"offset", Role::index}};
  static Shape infer(const ShapeAttrs& a, std::span<const Shape>) { return a.shape; }
  static int index_limit(const ShapeAttrs&, std::span<const Shape>) { return INT_MAX; }
  static void gradient(const ShapeAttrs&, Adjoint&) {}
  static std::vector<Sample> samples() { return {{erase(Attrs{{3}}), {{}}}, {erase(Attrs{{}}), {{}}}}; }
  static std::vector<Reject> rejects() { return {}; }
};

struct Lookup {
  using Attrs = NoAttrs;
  static constexpr Doc doc{"lookup", "One row of a table; its gradient is sparse.", "y = table[index]"};
  static constexpr std::array<std::string_view, 0> attr_names{};
  static constexpr std::array inputs{Input{"table", Role::shared}, Input{"index", Role::index}};
  static constexpr bool keeps_sparse = true;
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in[0].rank < 1)
      throw ShapeError("lookup: table" + str(in[0]) + " has no rows; a table has at least one axis, its rows");
    return without(in[0], 0);
  }
  static int index_limit(const NoAttrs&, std::span<const Shape> in) { return in[0][0]; }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add_table(0, g.dy()); }
  static std::vector<Sample> samples() { return {{{}, {{4, 3}, {}}}, {{}, {{2, 2, 3}, {}}}, {{}, {{5}, {}}}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{}, {}}, "lookup: table[] has no rows; a table has at least one axis, its rows"}};
  }
};

struct OneHot {
  using Attrs = CountAttrs;
  static constexpr Doc doc{"one_hot", "One at the index, zeros elsewhere.", "y[i] = i = index ? 1 : 0"};
  static constexpr std::array<std::string_view, 1> attr_names{"n"};
  static constexpr std::array inputs{Input{"index", Role::index}};
  static Shape infer(const CountAttrs& a, std::span<const Shape>) {
    if (a.n < 1) throw ShapeError("one_hot: n = " + std::to_string(a.n) + "; n must be at least 1");
    return {a.n};
  }
  static int index_limit(const CountAttrs& a, std::span<const Shape>) { return a.n; }
  static void gradient(const CountAttrs&, Adjoint&) {}
  static std::vector<Sample> samples() { return {{erase(Attrs{4}), {{}}}}; }
  static std::vector<Reject> rejects() { return {{erase(Attrs{0}), {{}}, "one_hot: n = 0; n must be at least 1"}}; }
};

struct PutAttrs {
  int n = 1, axis = 0;
};
struct Put {
  using Attrs = PutAttrs;
  static constexpr Doc doc{"put", "Zeros, except for one entry along a new axis.", "y[.., i, ..] = i = index ? x : 0"};
  static constexpr std::array<std::string_view, 2> attr_names{"n", "axis"};
  static constexpr std::array inputs{Input{"x"}, Input{"index", Role::index}};
  static Shape infer(const PutAttrs& a, std::span<const Shape> in) {
    if (a.n < 1) throw ShapeError("put: n = " + std::to_string(a.n) + "; n must be at least 1");
    if (a.axis < 0 || a.axis > in[0].rank)
      throw ShapeError("put: axis " + std::to_string(a.axis) + " of x" + str(in[0]) + "; the axis must be 0…" +
                       std::to_string(in[0].rank));
    return with(in[0], a.axis, a.n);
  }
  static int index_limit(const PutAttrs& a, std::span<const Shape>) { return a.n; }
  static void gradient(const PutAttrs& a, Adjoint& g);
  static std::vector<Sample> samples() {
    return {{erase(Attrs{4, 0}), {{}, {}}}, {erase(Attrs{3, 0}), {{2}, {}}}, {erase(Attrs{2, 1}), {{3, 2}, {}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{0, 0}), {{}, {}}, "put: n = 0; n must be at least 1"},
            {erase(Attrs{2, 1}), {{}, {}}, "put: axis 1 of x[]; the axis must be 0…0"}};
  }
};
struct Pick {
  using Attrs = AxisAttrs;
  static constexpr Doc doc{"pick", "One entry along an axis, which is removed.", "y[.., ..] = x[.., index, ..]"};
  static constexpr std::array<std::string_view, 1> attr_names{"axis"};
  static constexpr std::array inputs{Input{"x"}, Input{"index", Role::index}};
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    check_axis("pick", a.axis, in[0]);
    return without(in[0], a.axis);
  }
  static int index_limit(const AxisAttrs& a, std::span<const Shape> in) { return in[0][a.axis]; }
  static void gradient(const AxisAttrs& a, Adjoint& g) {
    g.add(0, apply<Put>({g.in(0).shape()[a.axis], a.axis}, {g.dy(), g.in(1)}));
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0}), {{4}, {}}},
            {erase(Attrs{0}), {{3, 2}, {}}},
            {erase(Attrs{1}), {{3, 2}, {}}},
            {erase(Attrs{1}), {{2, 3, 2}, {}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{0}), {{}, {}}, "pick: x[] is a scalar; x must have at least one axis"},
            {erase(Attrs{2}), {{2, 3}, {}}, "pick: axis 2 of x[2,3]; the axis must be 0…1"}};
  }
};
inline void Put::gradient(const PutAttrs& a, Adjoint& g) { g.add(0, apply<Pick>({a.axis}, {g.dy(), g.in(1)})); }

// The gradient of cross_entropy in one pass: with a large vocabulary, each extra pass costs as much as a product.
struct CrossEntropyGradient {
  using Attrs = NoAttrs;
  static constexpr Doc doc{"cross_entropy_gradient",
                           "Gradient of cross_entropy with respect to its logits. No gradient.",
                           "y[i] = dy (softmax(x)[i] - (i = target ? 1 : 0))"};
  static constexpr std::array<std::string_view, 0> attr_names{};
  static constexpr std::array inputs{Input{"logits"}, Input{"target", Role::index}, Input{"dy"}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in[0].rank != 1 || in[2].size() != 1)
      throw ShapeError("cross_entropy_gradient: logits" + str(in[0]) + ", dy" + str(in[2]) +
                       "; logits must be a vector and dy must have one element");
    return in[0];
  }
  static int index_limit(const NoAttrs&, std::span<const Shape> in) { return in[0][0]; }
  static std::vector<Sample> samples() { return {{{}, {{5}, {}, {}}}, {{}, {{1}, {}, {}}}}; }
  static std::vector<Reject> rejects() {
    return {{{},
             {{2, 3}, {}, {}},
             "cross_entropy_gradient: logits[2,3], dy[]; logits must be a vector and dy must have one element"}};
  }
};
struct CrossEntropy {
  using Attrs = NoAttrs;
  static constexpr Doc doc{"cross_entropy", "Negative log softmax at the target.", "y = log Σ exp(x) - x[target]"};
  static constexpr std::array<std::string_view, 0> attr_names{};
  static constexpr std::array inputs{Input{"logits"}, Input{"target", Role::index}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in[0].rank != 1) throw ShapeError("cross_entropy: logits" + str(in[0]) + "; logits must be a vector");
    return {};
  }
  static int index_limit(const NoAttrs&, std::span<const Shape> in) { return in[0][0]; }
  static void gradient(const NoAttrs&, Adjoint& g) {
    g.add(0, apply<CrossEntropyGradient>({}, {g.in(0), g.in(1), g.dy()}));
  }
  static std::vector<Sample> samples() { return {{{}, {{5}, {}}}, {{}, {{1}, {}}}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{2, 3}, {}}, "cross_entropy: logits[2,3]; logits must be a vector"}};
  }
};

}  // namespace espalier::op
