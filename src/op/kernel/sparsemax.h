// Variants of softmax that give exact zeros or respect upper bounds.
#pragma once
#include "op/composed.h"
#include "op/elementwise/gradient_flow.h"
#include "op/kernel/extrema.h"

namespace espalier::op {

// Martins & Astudillo, "From Softmax to Sparsemax", 2016.
struct Sparsemax : AlongAxis<Sparsemax> {
  static constexpr Doc doc{"sparsemax", "Projection onto the simplex along one axis: small elements become 0.",
                           "y = argmin_p |p - x|², p ≥ 0, Σ_axis p = 1"};
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    check_not_empty("sparsemax", a.axis, in[0]);
    return in[0];
  }
  // On the support: dy minus its mean over the support.
  static void gradient(const AxisAttrs& a, Adjoint& g) {
    const Term support = apply<Step>({}, {g.out()}), on = support * g.dy();
    const Term mean = apply<SumAxis>(a, {on}) / apply<SumAxis>(a, {support});
    g.add(0, on - support * apply<Broadcast>({a.axis, g.in(0).shape()[a.axis]}, {mean}));
  }
  static double flops(const AxisAttrs&, std::span<const Shape> in, const Shape&) {
    return 4 * static_cast<double>(in[0].size());
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0}), {{5}}},
            {erase(Attrs{0}), {{1}}},
            {erase(Attrs{0}), {{4}}, -0.3, 0.3},
            {erase(Attrs{0}), {{3, 2}}},
            {erase(Attrs{1}), {{2, 3, 2}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1}), {{4}}, "sparsemax: axis 1 of x[4]; the axis must be 0…0"}};
  }
};

inline void check_equal_vectors(std::string_view name, std::string_view other, std::span<const Shape> in) {
  if (in[0].rank != 1 || in[1] != in[0])
    throw ShapeError(std::string(name) + ": x" + str(in[0]) + " and " + std::string(other) + str(in[1]) +
                     "; both must be vectors of the same length");
}

struct SparsemaxLoss : Composed<> {
  static constexpr Doc doc{"sparsemax_loss", "The loss of sparsemax against a distribution q; its gradient is p - q.",
                           "y = p·x - |p|²/2 - q·x + |q|²/2, p = sparsemax(x)"};
  static constexpr std::array inputs{Input{"x"}, Input{"q"}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    check_equal_vectors("sparsemax_loss", "q", in);
    return {};
  }
  // p maximises p·x - |p|²/2, so the derivative through p is 0.
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    const Term x = in[0], q = in[1], p = apply<StopGradient>({}, {apply<Sparsemax>({0}, {x})});
    return apply<SumElements>({}, {(p - q) * (x - (p + q) * 0.5)});
  }
  static std::vector<Sample> samples() { return {{{}, {{4}, {4}}}, {{}, {{1}, {1}}}, {{}, {{3}, {3}}, 0.1, 0.6}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{4}, {3}}, "sparsemax_loss: x[4] and q[3]; both must be vectors of the same length"},
            {{}, {{2, 2}, {2, 2}}, "sparsemax_loss: x[2,2] and q[2,2]; both must be vectors of the same length"}};
  }
};

// Martins & Kreutzer, "Learning What's Easy", 2017. If the bounds sum to less than 1, the result is the bounds.
struct ConstrainedSoftmax {
  using Attrs = NoAttrs;
  static constexpr Doc doc{
      "constrained_softmax",
      "Softmax of a vector with an upper bound per element; the excess goes to the other elements.",
      "y = argmin_p KL(p, softmax(x)), p ≤ u, Σ p = 1"};
  static constexpr std::array<std::string_view, 0> attr_names{};
  static constexpr std::array inputs{Input{"x"}, Input{"u"}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    check_equal_vectors("constrained_softmax", "u", in);
    return in[0];
  }
  // Elements below their bound are a softmax over the free elements, times the mass that the bounded ones leave. The
  // gradient subtracts the mean of dy over the free elements, weighted by y.
  static void gradient(const NoAttrs&, Adjoint& g) {
    const Term y = g.out(), dy = g.dy(), free = apply<Step>({}, {g.in(1) - y}), rest = free * y;
    const Term total = apply<SumElements>({}, {rest}), none = 1.0 - apply<Step>({}, {total});
    const Term from_mean = dy - apply<SumElements>({}, {rest * dy}) / (total + none);
    if (g.wants(0)) g.add(0, rest * from_mean);
    if (g.wants(1)) g.add(1, (1.0 - free) * from_mean);
  }
  static double flops(const NoAttrs&, std::span<const Shape> in, const Shape&) {
    return 6 * static_cast<double>(in[0].size());
  }
  static std::vector<Sample> samples() {
    return {{{}, {{5}, {5}}, 0.05, 0.7},
            {{}, {{3}, {3}}, 0.2, 1.5},
            {{}, {{8}, {8}}, 0.01, 0.3},
            {{}, {{1}, {1}}, 0.1, 0.9}};
  }
  static std::vector<Reject> rejects() {
    return {{{}, {{4}, {3}}, "constrained_softmax: x[4] and u[3]; both must be vectors of the same length"}};
  }
};

}  // namespace espalier::op
