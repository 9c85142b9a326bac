// Rounding to whole numbers. Its slope is 0; straight through, the gradient passes as if nothing were rounded.
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
  static constexpr Doc doc{"ceil", "The next whole number above.", "y = ⌈x⌉"};
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
  static constexpr Doc doc{"floor", "The next whole number below.", "y = ⌊x⌋"};
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
  static constexpr Doc doc{"round", "The nearest whole number; of two, the even one.",
                           "y = the whole number nearest to x"};
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
