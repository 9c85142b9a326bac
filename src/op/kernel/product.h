// Matrix products: with a matrix shared by all rows (the main reason for batching), and with one matrix per row.
#pragma once
#include "op/elementwise.h"

namespace espalier::op {

struct Linear {
  using Attrs = NoAttrs;
  static constexpr Doc doc{"linear", "Multiplies each row (its last axis) by a shared matrix.", "y = W x"};
  static constexpr std::array<std::string_view, 0> attr_names{};
  static constexpr std::array inputs{Input{"x"}, Input{"W", Role::shared}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    const Shape &x = in[0], &w = in[1];
    if (w.rank != 2 || x.rank < 1 || x.rank > 2 || w[1] != x[x.rank - 1])
      throw ShapeError("linear: W" + str(w) + " does not apply to x" + str(x) + "; W must be [m,n] with n = " +
                       (x.rank < 1 ? "the last size of x" : std::to_string(x[x.rank - 1])));
    return x.rank == 1 ? Shape{w[0]} : Shape{x[0], w[0]};
  }
  static void gradient(const NoAttrs&, Adjoint& g);
  static double flops(const NoAttrs&, std::span<const Shape> in, const Shape& y) {
    return 2.0 * static_cast<double>(y.size()) * in[1][1];
  }
  static std::vector<Sample> samples() { return {{{}, {{2}, {3, 2}}}, {{}, {{4}, {1, 4}}}, {{}, {{2, 3}, {5, 3}}}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{5}, {3, 2}}, "linear: W[3,2] does not apply to x[5]; W must be [m,n] with n = 5"},
            {{}, {{5}, {5}}, "linear: W[5] does not apply to x[5]; W must be [m,n] with n = 5"},
            {{}, {{}, {5, 1}}, "linear: W[5,1] does not apply to x[]; W must be [m,n] with n = the last size of x"}};
  }
};

// The product with the transposed matrix, needed by the gradient of Linear.
struct LinearTransposed {
  using Attrs = NoAttrs;
  static constexpr Doc doc{"linear_t", "Multiplies each row (its last axis) by a shared, transposed matrix.",
                           "y = Wᵀ x"};
  static constexpr std::array<std::string_view, 0> attr_names{};
  static constexpr std::array inputs{Input{"x"}, Input{"W", Role::shared}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    const Shape &x = in[0], &w = in[1];
    if (w.rank != 2 || x.rank < 1 || x.rank > 2 || w[0] != x[x.rank - 1])
      throw ShapeError("linear_t: W" + str(w) + " does not apply to x" + str(x) + "; W must be [m,n] with m = " +
                       (x.rank < 1 ? "the last size of x" : std::to_string(x[x.rank - 1])));
    return x.rank == 1 ? Shape{w[1]} : Shape{x[0], w[1]};
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    if (g.wants(0)) g.add(0, apply<Linear>({}, {g.dy(), g.in(1)}));
    if (g.wants(1)) g.add_product(1, g.in(0), g.dy());
  }
  static double flops(const NoAttrs&, std::span<const Shape> in, const Shape& y) {
    return 2.0 * static_cast<double>(y.size()) * in[1][0];
  }
  static std::vector<Sample> samples() { return {{{}, {{3}, {3, 2}}}, {{}, {{2, 5}, {5, 3}}}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{5}, {3, 2}}, "linear_t: W[3,2] does not apply to x[5]; W must be [m,n] with m = 5"}};
  }
};

inline void Linear::gradient(const NoAttrs&, Adjoint& g) {
  if (g.wants(0)) g.add(0, apply<LinearTransposed>({}, {g.dy(), g.in(1)}));
  if (g.wants(1)) g.add_product(1, g.dy(), g.in(0));
}

struct MatmulAttrs {
  bool transpose_a = false, transpose_b = false;
};
struct Matmul {
  using Attrs = MatmulAttrs;
  static constexpr Doc doc{"matmul", "Product of two matrices, one pair per row.", "y = a b"};
  static constexpr std::array<std::string_view, 2> attr_names{"transpose_a", "transpose_b"};
  static constexpr std::array inputs{Input{"a"}, Input{"b"}};
  static constexpr bool takes_shared = true;
  static Shape infer(const MatmulAttrs& t, std::span<const Shape> in) {
    const Shape &a = in[0], &b = in[1];
    if (a.rank != 2 || b.rank != 2 || a[t.transpose_a ? 0 : 1] != b[t.transpose_b ? 1 : 0])
      throw ShapeError("matmul: a" + str(a) + (t.transpose_a ? "ᵀ" : "") + " does not apply to b" + str(b) +
                       (t.transpose_b ? "ᵀ" : "") + "; a must be [m,k] and b [k,n]");
    return {a[t.transpose_a ? 1 : 0], b[t.transpose_b ? 0 : 1]};
  }
  static void gradient(const MatmulAttrs& t, Adjoint& g) {
    const Term a = g.in(0), b = g.in(1), dy = g.dy();
    const bool ta = t.transpose_a, tb = t.transpose_b;
    if (g.wants(0)) g.add(0, ta ? apply<Matmul>({tb, true}, {b, dy}) : apply<Matmul>({false, !tb}, {dy, b}));
    if (g.wants(1)) g.add(1, tb ? apply<Matmul>({true, ta}, {dy, a}) : apply<Matmul>({!ta, false}, {a, dy}));
  }
  static double flops(const MatmulAttrs& t, std::span<const Shape> in, const Shape& y) {
    return 2.0 * static_cast<double>(y.size()) * in[0][t.transpose_a ? 0 : 1];
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{false, false}), {{2, 3}, {3, 4}}},
            {erase(Attrs{true, false}), {{3, 2}, {3, 4}}},
            {erase(Attrs{false, true}), {{2, 3}, {1, 3}}},
            {erase(Attrs{true, true}), {{3, 2}, {4, 3}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{}), {{2, 3}, {2, 3}}, "matmul: a[2,3] does not apply to b[2,3]; a must be [m,k] and b [k,n]"},
            {erase(Attrs{true, false}),
             {{2, 3}, {3}},
             "matmul: a[2,3]ᵀ does not apply to b[3]; a must be [m,k] and b [k,n]"}};
  }
};

}  // namespace espalier::op

namespace espalier {

// Whether a device may run the op in tf32 or bf16.
inline bool multiplies_matrices(const OpInfo* op) {
  return op == &info<op::Linear>() || op == &info<op::LinearTransposed>() || op == &info<op::Matmul>();
}

}  // namespace espalier
