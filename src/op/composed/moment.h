// Moments of the elements of a row, over all elements or along one axis. Composed.
#pragma once
#include "op/composed/mean.h"
#include "op/elementwise/power.h"

namespace espalier::op {

// x^r by squaring.
inline Term whole_power(Term x, int r) {
  if (r == 1) return x;
  const Term half = whole_power(x, r / 2), even = half * half;
  return r % 2 == 0 ? even : even * x;
}
inline void check_order(std::string_view name, int r) {
  if (r < 1 || r > 16) throw ShapeError(std::string(name) + ": r = " + std::to_string(r) + "; r must be 1…16");
}

struct OrderAttrs {
  int r = 1;
};
struct MomentElements : Composed<OrderAttrs> {
  static constexpr Doc doc{"moment_elements", "Mean of the r-th powers of all elements.", "y = Σ xʳ / n"};
  static constexpr std::array<std::string_view, 1> attr_names{"r"};
  static constexpr std::array inputs{Input{"x"}};
  static constexpr int degree = 3;
  static Shape infer(const OrderAttrs& a, std::span<const Shape>) {
    check_order("moment_elements", a.r);
    return {};
  }
  static Term compose(const OrderAttrs& a, std::span<const Term> in) {
    return apply<MeanElements>({}, {whole_power(in[0], a.r)});
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{1}), {{4}}}, {erase(Attrs{2}), {{2, 3}}}, {erase(Attrs{3}), {{5}}}};
  }
  static std::vector<Reject> rejects() { return {{erase(Attrs{0}), {{4}}, "moment_elements: r = 0; r must be 1…16"}}; }
};

struct OrderAxisAttrs {
  int r = 1, axis = 0;
};
struct MomentAxis : Composed<OrderAxisAttrs> {
  static constexpr Doc doc{"moment_axis", "Mean of the r-th powers along one axis, which is removed.",
                           "y = Σ_axis xʳ / n"};
  static constexpr std::array<std::string_view, 2> attr_names{"r", "axis"};
  static constexpr std::array inputs{Input{"x"}};
  static constexpr int degree = 3;
  static Shape infer(const OrderAxisAttrs& a, std::span<const Shape> in) {
    check_order("moment_axis", a.r);
    check_axis("moment_axis", a.axis, in[0]);
    return without(in[0], a.axis);
  }
  static Term compose(const OrderAxisAttrs& a, std::span<const Term> in) {
    return apply<MeanAxis>({a.axis}, {whole_power(in[0], a.r)});
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{2, 0}), {{4}}}, {erase(Attrs{3, 1}), {{2, 3}}}, {erase(Attrs{1, 0}), {{2, 3}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{2, 1}), {{4}}, "moment_axis: axis 1 of x[4]; the axis must be 0…0"}};
  }
};

// x minus its mean along the axis.
inline Term centred(Term x, int axis) {
  return x - apply<Broadcast>({axis, x.shape()[axis]}, {apply<MeanAxis>({axis}, {x})});
}

struct VarElements : Composed<> {
  static constexpr Doc doc{"var_elements", "Variance of all elements; divides by n, not n - 1.",
                           "y = Σ (x - mean)² / n"};
  static constexpr std::array inputs{Input{"x"}};
  static constexpr int degree = 2;
  static Shape infer(const NoAttrs&, std::span<const Shape>) { return {}; }
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    return apply<MeanElements>({}, {apply<Square>({}, {in[0] - apply<MeanElements>({}, in)})});
  }
  static std::vector<Sample> samples() { return {{{}, {{4}}}, {{}, {{2, 3}}}, {{}, {{1}}}}; }
};
struct StdElements : VarElements {
  static constexpr Doc doc{"std_elements", "Standard deviation of all elements; the gradient at 0 is 0.",
                           "y = √(Σ (x - mean)² / n)"};
  static constexpr int degree = 2;
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    return apply<SafeSqrt>({}, {apply<VarElements>({}, in)});
  }
  static std::vector<Sample> samples() { return {{{}, {{4}}}, {{}, {{2, 3}}}}; }
};

struct VarAxis : AlongAxis<VarAxis> {
  static constexpr Doc doc{"var_axis", "Variance along one axis, which is removed; divides by n, not n - 1.",
                           "y = Σ_axis (x - mean)² / n"};
  static constexpr int degree = 2;
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    check_axis("var_axis", a.axis, in[0]);
    return without(in[0], a.axis);
  }
  static Term compose(const AxisAttrs& a, std::span<const Term> in) {
    return apply<MeanAxis>(a, {apply<Square>({}, {centred(in[0], a.axis)})});
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1}), {{4}}, "var_axis: axis 1 of x[4]; the axis must be 0…0"}};
  }
};
struct StdAxis : AlongAxis<StdAxis> {
  static constexpr Doc doc{"std_axis", "Standard deviation along one axis, which is removed; the gradient at 0 is 0.",
                           "y = √(Σ_axis (x - mean)² / n)"};
  static constexpr int degree = 2;
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    check_axis("std_axis", a.axis, in[0]);
    return without(in[0], a.axis);
  }
  static Term compose(const AxisAttrs& a, std::span<const Term> in) {
    return apply<SafeSqrt>({}, {apply<VarAxis>(a, in)});
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1}), {{4}}, "std_axis: axis 1 of x[4]; the axis must be 0…0"}};
  }
};

}  // namespace espalier::op
