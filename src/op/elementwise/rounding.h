// Rounding to integers. The derivative is 0; with straight_through, the gradient passes unchanged.
#pragma once
#include "op/elementwise.h"

namespace espalier::op {

struct RoundingAttrs {
  bool straight_through = false;
};
struct Rounding : Unary<RoundingAttrs> {
  static constexpr std::array<std::string_view, 1> attr_names{"straight_through"};
  static bool own_slope(const RoundingAttrs& a) { return a.straight_through; }
  static void gradient(const RoundingAttrs& a, Adjoint& g) {
    if (a.straight_through) g.add(0, g.dy());
  }
};

struct Ceil : Rounding {
  static constexpr Doc doc{"ceil", "Rounds up to an integer.", "y = ⌈x⌉"};
  template <class T>
  static T value(const RoundingAttrs&, T x) {
    return -floor(-x);
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{false}), {{4}}, 1.1, 1.9},
            {erase(Attrs{false}), {{}}, -1.9, -1.1},
            {erase(Attrs{true}), {{2, 3}}, -1.9, -1.1}};
  }
};

struct Floor : Rounding {
  static constexpr Doc doc{"floor", "Rounds down to an integer.", "y = ⌊x⌋"};
  template <class T>
  static T value(const RoundingAttrs&, T x) {
    return floor(x);
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{false}), {{4}}, 1.1, 1.9},
            {erase(Attrs{false}), {{}}, -1.9, -1.1},
            {erase(Attrs{true}), {{2, 3}}, -1.9, -1.1}};
  }
};

struct Round : Rounding {
  static constexpr Doc doc{"round", "Rounds to the nearest integer; ties go to the even one.",
                           "y = integer nearest to x"};
  template <class T>
  static T value(const RoundingAttrs&, T x) {
    return round(x);
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{false}), {{4}}, 0.6, 1.4},
            {erase(Attrs{false}), {{}}, -0.4, 0.4},
            {erase(Attrs{true}), {{2, 3}}, -0.4, 0.4}};
  }
};

}  // namespace espalier::op
