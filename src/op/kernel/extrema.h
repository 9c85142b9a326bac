// Maximum and minimum, along an axis or over the rows of a list. Ties go to the first element.
#pragma once
#include "op/kernel/axis.h"
#include "op/kernel/rows.h"

namespace espalier::op {

inline void check_not_empty(std::string_view name, int axis, const Shape& x) {
  check_axis(name, axis, x);
  if (x[axis] == 0)
    throw ShapeError(std::string(name) + ": x" + str(x) + " is empty along axis " + std::to_string(axis) +
                     "; at least one element is needed");
}

struct ArgmaxAttrs {
  int axis = 0;
  bool straight_through = false;
};
struct ArgmaxOneHot {
  using Attrs = ArgmaxAttrs;
  static constexpr Doc doc{"argmax_one_hot",
                           "One at the first largest element along an axis, zeros elsewhere. No gradient; with "
                           "straight_through, the gradient of the identity.",
                           "y[i] = i = argmax_axis x ? 1 : 0"};
  static constexpr std::array<std::string_view, 2> attr_names{"axis", "straight_through"};
  static constexpr std::array inputs{Input{"x"}};
  static bool own_slope(const ArgmaxAttrs& a) { return a.straight_through; }
  static Shape infer(const ArgmaxAttrs& a, std::span<const Shape> in) {
    check_axis("argmax_one_hot", a.axis, in[0]);
    return in[0];
  }
  static void gradient(const ArgmaxAttrs& a, Adjoint& g) {
    if (a.straight_through) g.add(0, g.dy());
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0, false}), {{5}}},
            {erase(Attrs{0, true}), {{1}}},
            {erase(Attrs{0, true}), {{3, 2}}},
            {erase(Attrs{1, false}), {{2, 4, 3}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1, true}), {{4}}, "argmax_one_hot: axis 1 of x[4]; the axis must be 0…0"}};
  }
};

struct MaxAxis : AlongAxis<MaxAxis> {
  static constexpr Doc doc{"max_axis",
                           "Maximum over one axis, which is removed; the first largest element gets the gradient.",
                           "y = max_axis x"};
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    check_not_empty("max_axis", a.axis, in[0]);
    return without(in[0], a.axis);
  }
  static void gradient(const AxisAttrs& a, Adjoint& g) {
    const Term first = apply<ArgmaxOneHot>({a.axis, false}, {g.in(0)});
    g.add(0, apply<Broadcast>({a.axis, g.in(0).shape()[a.axis]}, {g.dy()}) * first);
  }
  static double flops(const AxisAttrs&, std::span<const Shape> in, const Shape&) {
    return static_cast<double>(in[0].size());
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0}), {{5}}},
            {erase(Attrs{0}), {{1}}},
            {erase(Attrs{0}), {{3, 2}}},
            {erase(Attrs{1}), {{2, 19}}},
            {erase(Attrs{1}), {{2, 3, 2}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{0}), {{}}, "max_axis: x[] is a scalar; x must have at least one axis"},
            {erase(Attrs{2}), {{2, 3}}, "max_axis: axis 2 of x[2,3]; the axis must be 0…1"},
            {erase(Attrs{1}), {{2, 0}}, "max_axis: x[2,0] is empty along axis 1; at least one element is needed"}};
  }
};

struct MinAxis : AlongAxis<MinAxis> {
  static constexpr Doc doc{"min_axis",
                           "Minimum over one axis, which is removed; the first smallest element gets the gradient.",
                           "y = min_axis x"};
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    check_not_empty("min_axis", a.axis, in[0]);
    return without(in[0], a.axis);
  }
  static Term compose(const AxisAttrs& a, std::span<const Term> in) { return -apply<MaxAxis>(a, {-in[0]}); }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{0}), {{0}}, "min_axis: x[0] is empty along axis 0; at least one element is needed"}};
  }
};

struct MinRows : OverRows {
  static constexpr Doc doc{"min_rows", "Minimum over the rows of a list, element by element.", "y = min_k x_k"};
  static constexpr int min_rows = 1;
  static constexpr Place place = Place::call;
  static Term compose(const NoAttrs&, std::span<const Term> in) { return -apply<MaxRows>({}, {-in[0]}); }
};

}  // namespace espalier::op
