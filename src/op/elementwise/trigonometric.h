// Trigonometric functions and their inverses.
#pragma once
#include "op/elementwise/power.h"

namespace espalier::op {

struct Cos : Unary<> {
  static constexpr Doc doc{"cos", "Cosine.", "y = cos(x)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return cos(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g);
};

struct Sin : Unary<> {
  static constexpr Doc doc{"sin", "Sine.", "y = sin(x)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return sin(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * apply<Cos>({}, {g.in(0)})); }
};
inline void Cos::gradient(const NoAttrs&, Adjoint& g) { g.add(0, -(g.dy() * apply<Sin>({}, {g.in(0)}))); }

struct Tan : Unary<> {
  static constexpr Doc doc{"tan", "Tangent.", "y = sin(x) / cos(x)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return sin(x) / cos(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * (g.out() * g.out() + 1.0)); }
  static std::vector<Sample> samples() { return {{{}, {{4}}, -1.2, 1.2}, {{}, {{2, 3}}, 1.9, 4.4}}; }
};

// 1 / √(1 - x²), accurate near ±1.
inline Term arc_slope(Term x) { return 1.0 / apply<Sqrt>({}, {(1.0 - x) * (x + 1.0)}); }

struct Acos : Unary<> {
  static constexpr Doc doc{"acos", "Arc cosine; NaN outside [-1, 1].", "y = arccos(x)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return T(2.0) * atan(sqrt((T(1.0) - x) / (x + T(1.0))));
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, -(g.dy() * arc_slope(g.in(0)))); }
  static std::vector<Sample> samples() { return {{{}, {{4}}, -0.9, 0.9}, {{}, {{2, 3}}, 0.9, 0.99}}; }
};

struct Asin : Unary<> {
  static constexpr Doc doc{"asin", "Arc sine; NaN outside [-1, 1].", "y = arcsin(x)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return atan(x / sqrt((T(1.0) - x) * (x + T(1.0))));
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * arc_slope(g.in(0))); }
  static std::vector<Sample> samples() { return {{{}, {{4}}, -0.9, 0.9}, {{}, {{2, 3}}, 0.9, 0.99}}; }
};

struct Atan : Unary<> {
  static constexpr Doc doc{"atan", "Arc tangent.", "y = arctan(x)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return atan(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() / (g.in(0) * g.in(0) + 1.0)); }
};

}  // namespace espalier::op
