// Means: sums divided by counts. Composed.
#pragma once
#include "op/composed.h"
#include "op/kernel/axis.h"
#include "op/kernel/rows.h"

namespace espalier::op {

struct MeanAxis : AlongAxis<MeanAxis> {
  static constexpr Doc doc{"mean_axis", "Mean over one axis, which is removed.", "y = Σ_axis x / n"};
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    check_axis("mean_axis", a.axis, in[0]);
    return without(in[0], a.axis);
  }
  static Term compose(const AxisAttrs& a, std::span<const Term> in) {
    return apply<SumAxis>(a, in) * (1.0 / in[0].shape()[a.axis]);
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1}), {{4}}, "mean_axis: axis 1 of x[4]; the axis must be 0…0"}};
  }
};

struct MeanElements : Composed<> {
  static constexpr Doc doc{"mean_elements", "Mean of all elements of a row.", "y = Σ x / n"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const NoAttrs&, std::span<const Shape>) { return {}; }
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    return op::apply<SumElements>({}, in) * (1.0 / static_cast<double>(std::max<int64_t>(in[0].shape().size(), 1)));
  }
  static std::vector<Sample> samples() { return {{{}, {{4}}}, {{}, {{2, 3}}}, {{}, {{}}}}; }
};

struct MeanRows : OverRows {
  static constexpr Doc doc{"mean_rows", "Mean over the rows of a list; 0 for an empty list.", "y = Σ_k x_k / n"};
  static constexpr Place place = Place::call;
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    return op::apply<SumRows>({}, in) * op::apply<InverseCount>({}, in);
  }
};

}  // namespace espalier::op
