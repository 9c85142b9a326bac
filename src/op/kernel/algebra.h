// Square matrices, one per row: inverse and determinant.
#pragma once
#include "op/composed.h"
#include "op/elementwise/exponential.h"
#include "op/kernel/axis.h"
#include "op/kernel/product.h"

namespace espalier::op {

inline void check_square(std::string_view name, const Shape& x) {
  if (x.rank != 2 || x[0] != x[1]) throw ShapeError(std::string(name) + ": x" + str(x) + "; x must be a square matrix");
}

// Common base. The inverse of a nearly singular matrix has large elements, and its gradient has their squares. So the
// elimination runs in double; the products of the gradient are ordinary matrix products.
struct OfSquare {
  using Attrs = NoAttrs;
  static constexpr std::array<std::string_view, 0> attr_names{};
  static constexpr std::array inputs{Input{"x"}};
  static constexpr double tolerance = 1e-4;
  static double flops(const NoAttrs&, std::span<const Shape> in, const Shape& y) {
    const double n = in[0][0];
    return (y.rank == 2 ? 2.0 : 2.0 / 3) * n * n * n;
  }
};

struct Inverse : OfSquare {
  static constexpr Doc doc{"inverse", "Inverse of a square matrix; NaN in every element if it is singular.",
                           "y x = x y = 1"};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    check_square("inverse", in[0]);
    return in[0];
  }
  static void gradient(const NoAttrs&, Adjoint& g) {  // -yᵀ dy yᵀ
    const Term y = g.out();
    g.add(0, -apply<Matmul>({false, true}, {apply<Matmul>({true, false}, {y, g.dy()}), y}));
  }
  static std::vector<Sample> samples() { return {{{}, {{1, 1}}, 0.5, 2}, {{}, {{2, 2}}}, {{}, {{3, 3}}}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{2, 3}}, "inverse: x[2,3]; x must be a square matrix"},
            {{}, {{4}}, "inverse: x[4]; x must be a square matrix"}};
  }
};

struct LogAbsDet : OfSquare {
  static constexpr Doc doc{"logabsdet",
                           "Logarithm of the absolute determinant of a square matrix; -inf if it is singular.",
                           "y = log |det x|"};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    check_square("logabsdet", in[0]);
    return {};
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    g.add(0, apply<Transpose>({}, {apply<Inverse>({}, {g.in(0)})}) * g.dy());
  }
  static std::vector<Sample> samples() {
    return {{{}, {{1, 1}}, 0.5, 2}, {{}, {{2, 2}}}, {{}, {{3, 3}}}, {{}, {{4, 4}}}};
  }
  static std::vector<Reject> rejects() { return {{{}, {{2, 3}}, "logabsdet: x[2,3]; x must be a square matrix"}}; }
};

struct DetSign : OfSquare {
  static constexpr Doc doc{"det_sign", "Sign of the determinant of a square matrix: -1, 0 or 1. No gradient.",
                           "y = sign det x"};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    check_square("det_sign", in[0]);
    return {};
  }
  static std::vector<Sample> samples() { return {{{}, {{1, 1}}, -2, -0.5}, {{}, {{2, 2}}}, {{}, {{3, 3}}}}; }
  static std::vector<Reject> rejects() { return {{{}, {{4}}, "det_sign: x[4]; x must be a square matrix"}}; }
};

struct Logdet : Composed<> {
  static constexpr Doc doc{"logdet",
                           "Logarithm of the determinant of a square matrix; -inf if it is 0, NaN if it is negative.",
                           "y = log det x"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    check_square("logdet", in[0]);
    return {};
  }
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    return apply<LogAbsDet>({}, {in[0]}) + apply<Log>({}, {apply<DetSign>({}, {in[0]})});
  }
  // A random matrix may have a negative determinant: larger ones are tested by hand.
  static std::vector<Sample> samples() { return {{{}, {{1, 1}}, 0.5, 2}}; }
  static std::vector<Reject> rejects() { return {{{}, {{2, 3}}, "logdet: x[2,3]; x must be a square matrix"}}; }
};

}  // namespace espalier::op
