// Products of vectors, matrices and tensors, composed of the two matrix products: with a matrix shared by all rows, and
// with one per row.
#pragma once
#include "op/composed.h"
#include "op/kernel/axis.h"
#include "op/kernel/product.h"

namespace espalier::op {

// a b for matrices or vectors. A parameter times a vector uses the product shared by all calls.
inline Term product(Term a, Term b) {
  if (a.maker->is_parameter(a.node) && a.shape().rank == 2 && b.shape().rank == 1) return apply<Linear>({}, {b, a});
  const bool row = a.shape().rank == 1, column = b.shape().rank == 1;
  if (row) a = apply<Reshape>({{1, a.shape()[0]}}, {a});
  if (column) b = apply<Reshape>({{b.shape()[0], 1}}, {b});
  const Term y = apply<Matmul>({}, {a, b});
  if (!row && !column) return y;
  return apply<Reshape>({row && column ? Shape{} : Shape{y.shape()[row ? 1 : 0]}}, {y});
}

struct Dot : Composed<> {
  static constexpr Doc doc{"dot", "Inner product of two rows of equal shape.", "y = Σ a b"};
  static constexpr std::array inputs{Input{"a"}, Input{"b"}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in[0] != in[1])
      throw ShapeError("dot: a" + str(in[0]) + " and b" + str(in[1]) + " differ; the shapes must be equal");
    return {};
  }
  static Term compose(const NoAttrs&, std::span<const Term> in) { return apply<SumElements>({}, {in[0] * in[1]}); }
  static std::vector<Sample> samples() { return {{{}, {{4}, {4}}}, {{}, {{2, 3}, {2, 3}}}, {{}, {{}, {}}}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{3}, {4}}, "dot: a[3] and b[4] differ; the shapes must be equal"}};
  }
};

struct TraceOfProduct : Composed<> {
  static constexpr Doc doc{"trace_of_product", "Trace of a bᵀ, computed without the product.", "y = tr(a bᵀ) = Σ a b"};
  static constexpr std::array inputs{Input{"a"}, Input{"b"}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in[0] != in[1] || in[0].rank != 2)
      throw ShapeError("trace_of_product: a" + str(in[0]) + " and b" + str(in[1]) +
                       "; both must be matrices of the same shape");
    return {};
  }
  static Term compose(const NoAttrs&, std::span<const Term> in) { return op::apply<Dot>({}, in); }
  static std::vector<Sample> samples() { return {{{}, {{2, 3}, {2, 3}}}, {{}, {{1, 4}, {1, 4}}}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{2, 3}, {3, 2}}, "trace_of_product: a[2,3] and b[3,2]; both must be matrices of the same shape"}};
  }
};

struct Outer : Composed<> {
  static constexpr Doc doc{"outer", "Outer product of two vectors.", "y[i,j] = a[i] b[j]"};
  static constexpr std::array inputs{Input{"a"}, Input{"b"}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in[0].rank != 1 || in[1].rank != 1)
      throw ShapeError("outer: a" + str(in[0]) + " and b" + str(in[1]) + "; both must be vectors");
    return {in[0][0], in[1][0]};
  }
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    const int m = in[0].shape()[0], n = in[1].shape()[0];
    return apply<Matmul>({}, {apply<Reshape>({{m, 1}}, {in[0]}), apply<Reshape>({{1, n}}, {in[1]})});
  }
  static std::vector<Sample> samples() { return {{{}, {{3}, {4}}}, {{}, {{1}, {2}}}}; }
  static std::vector<Reject> rejects() { return {{{}, {{3}, {2, 2}}, "outer: a[3] and b[2,2]; both must be vectors"}}; }
};

struct AddColumns : Composed<> {
  static constexpr Doc doc{"add_columns", "Adds a vector to every column of a matrix.", "y[i,j] = x[i,j] + b[i]"};
  static constexpr std::array inputs{Input{"x"}, Input{"b"}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in[0].rank != 2 || in[1] != Shape{in[0][0]})
      throw ShapeError("add_columns: x" + str(in[0]) + " and b" + str(in[1]) + "; x must be [m,n] and b [m]");
    return in[0];
  }
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    return in[0] + apply<Broadcast>({1, in[0].shape()[1]}, {in[1]});
  }
  static std::vector<Sample> samples() { return {{{}, {{2, 3}, {2}}}, {{}, {{4, 1}, {4}}}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{2, 3}, {3}}, "add_columns: x[2,3] and b[3]; x must be [m,n] and b [m]"}};
  }
};

struct Affine : Composed<> {
  static constexpr Doc doc{"affine", "Sum of a bias and one or more matrix-vector products.",
                           "y = b + W₁ x₁ + W₂ x₂ + …"};
  static constexpr std::array inputs{Input{"b, W, x"}};
  static constexpr bool many = true;
  static constexpr int degree = 2;
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in.size() < 3 || in.size() % 2 == 0)
      throw ShapeError("affine: " + std::to_string(in.size()) + " operands; b and one or more pairs W, x are needed");
    for (size_t i = 1; i < in.size(); i += 2) {
      const Shape &w = in[i], &x = in[i + 1];
      if (w.rank != 2 || x.rank != 1 || w[1] != x[0] || in[0] != Shape{w[0]})
        throw ShapeError("affine: b" + str(in[0]) + ", W" + str(w) + ", x" + str(x) +
                         "; they must be b[m], W[m,n] and x[n]");
    }
    return in[0];
  }
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    Term y = product(in[1], in[2]);
    for (size_t i = 3; i < in.size(); i += 2) y = y + product(in[i], in[i + 1]);
    return y + in[0];
  }
  static std::vector<Sample> samples() {
    return {{{}, {{2}, {2, 3}, {3}}}, {{}, {{2}, {2, 3}, {3}, {2, 1}, {1}, {2, 2}, {2}}}};
  }
  static std::vector<Reject> rejects() {
    return {{{}, {{2}, {2, 3}}, "affine: 2 operands; b and one or more pairs W, x are needed"},
            {{}, {{2}, {3, 2}, {2}}, "affine: b[2], W[3,2], x[2]; they must be b[m], W[m,n] and x[n]"}};
  }
};

// Used by the recursive neural tensor network. With a shared W, the first product is batched over all rows.
struct Bilinear : Composed<> {
  static constexpr Doc doc{"bilinear", "A tensor contracted with two vectors.", "y[k] = Σ_ij a[i] W[k,i,j] b[j]"};
  static constexpr std::array inputs{Input{"a"}, Input{"b"}, Input{"W"}};
  static constexpr int degree = 3;
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    const Shape &a = in[0], &b = in[1], &w = in[2];
    if (a.rank != 1 || b.rank != 1 || w.rank != 3 || w[1] != a[0] || w[2] != b[0])
      throw ShapeError("bilinear: a" + str(a) + ", b" + str(b) + ", W" + str(w) +
                       "; they must be a[m], b[n], W[k,m,n]");
    return {w[0]};
  }
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    const Shape w = in[2].shape();
    const Term Wb = product(apply<Reshape>({{w[0] * w[1], w[2]}}, {in[2]}), in[1]);
    return product(apply<Reshape>({{w[0], w[1]}}, {Wb}), in[0]);
  }
  static double flops(const NoAttrs&, std::span<const Shape> in, const Shape&) {
    return 2.0 * static_cast<double>(in[2].size());
  }
  static std::vector<Sample> samples() { return {{{}, {{2}, {3}, {4, 2, 3}}}, {{}, {{3}, {3}, {1, 3, 3}}}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{2}, {3}, {4, 3, 2}}, "bilinear: a[2], b[3], W[4,3,2]; they must be a[m], b[n], W[k,m,n]"}};
  }
};

}  // namespace espalier::op
