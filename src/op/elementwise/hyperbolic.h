// Hyperbolic functions and their inverses: accurate near zero, and overflowing only if the result does.
#pragma once
#include "op/elementwise/power.h"

namespace espalier::op {

struct Cosh : Unary<> {
  static constexpr Doc doc{"cosh", "Hyperbolic cosine.", "y = (exp(x) + exp(-x)) / 2"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    const T e = exp(abs(x) * T(0.5));
    return T(0.5) * e * e + T(0.5) / (e * e);
  }
  static void gradient(const NoAttrs&, Adjoint& g);
};

struct Sinh : Unary<> {
  static constexpr Doc doc{"sinh", "Hyperbolic sine.", "y = (exp(x) - exp(-x)) / 2"};
  // 2 sinh(h) cosh(h) with h = x / 2.
  template <class T>
  static T value(const NoAttrs&, T x) {
    const T h = x * T(0.5), up = expm1(h), down = expm1(-h);
    return (up - down) * (T(0.5) * (up + down) + T(1.0));
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * apply<Cosh>({}, {g.in(0)})); }
};
inline void Cosh::gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * apply<Sinh>({}, {g.in(0)})); }

struct Tanh : Unary<> {
  static constexpr Doc doc{"tanh", "Hyperbolic tangent.", "y = tanh(x)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return tanh(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * (1.0 - g.out() * g.out())); }
};

// log(1 + a + b) for a ≈ b. If a + b could overflow, then b = a, and 1 is negligible.
template <class T>
T log_of_sum(T a, T b) {
  const T far = a > T(1e18);
  return log1p(select(far, a, a + b)) + select(far, T(0.69314718055994531), T(0.0));
}

struct Acosh : Unary<> {
  static constexpr Doc doc{"acosh", "Inverse hyperbolic cosine; NaN below 1.", "y = log(x + √(x² - 1))"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    const T t = x - T(1.0);
    return log_of_sum(t, sqrt(t) * sqrt(t + T(2.0)));
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    const Term x = g.in(0);
    g.add(0, g.dy() / (apply<Sqrt>({}, {x + -1.0}) * apply<Sqrt>({}, {x + 1.0})));
  }
  static std::vector<Sample> samples() { return {{{}, {{4}}, 1.2, 4}, {{}, {{2, 3}}, 1.01, 1.2}}; }
};

struct Asinh : Unary<> {
  static constexpr Doc doc{"asinh", "Inverse hyperbolic sine.", "y = log(x + √(x² + 1))"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    const T a = abs(x), y = log_of_sum(a, a * (a / (sqrt(a * a + T(1.0)) + T(1.0))));
    return select(T(0.0) > x, -y, y);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() / apply<Sqrt>({}, {g.in(0) * g.in(0) + 1.0})); }
};

struct Atanh : Unary<> {
  static constexpr Doc doc{"atanh", "Inverse hyperbolic tangent; NaN outside [-1, 1].",
                           "y = log((1 + x) / (1 - x)) / 2"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return T(0.5) * (log1p(x) - log1p(-x));
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() / ((1.0 - g.in(0)) * (g.in(0) + 1.0))); }
  static std::vector<Sample> samples() { return {{{}, {{4}}, -0.9, 0.9}, {{}, {{2, 3}}, -0.1, 0.1}}; }
};

}  // namespace espalier::op
