// Powers and roots.
#pragma once
#include "op/elementwise/choice.h"
#include "op/elementwise/exponential.h"

namespace espalier::op {

struct Cube : Unary<> {
  static constexpr Doc doc{"cube", "Cube.", "y = x³"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return x * x * x;
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * (g.in(0) * g.in(0) * 3.0)); }
};

struct Sqrt : Unary<> {
  static constexpr Doc doc{"sqrt", "Square root.", "y = √x"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return sqrt(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * (0.5 / g.out())); }
  static std::vector<Sample> samples() { return {{{}, {{4}}, 0.2, 3}, {{}, {{2, 3}}, 0.1, 1}}; }
};

// For norms: at 0 the derivative of √ is infinite; times the derivative of the square, which is 0, it would give NaN.
struct SafeSqrt : Unary<> {
  static constexpr Doc doc{"safe_sqrt", "Square root of max(x, 0); the gradient is 0 for x ≤ 0.", "y = √max(x, 0)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return sqrt(max(x, T(0.0)));
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    g.add(0, where(g.out(), g.dy() * (0.5 / g.out()), number(g.dy(), 0)));
  }
  static std::vector<Sample> samples() { return {{{}, {{4}}, 0.2, 3}, {{}, {{2, 3}}, -2, -0.1}}; }
};

struct Square : Unary<> {
  static constexpr Doc doc{"square", "Square.", "y = x²"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return x * x;
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * (g.in(0) * 2.0)); }
};

// The gradient of b is 0 where a ≤ 0, where powers of a are not smooth.
struct Pow : Binary<Pow> {
  static constexpr Doc doc{"pow", "Power; NaN if a is negative and b is not an integer.", "y = aᵇ"};
  template <class T>
  static T value(const NoAttrs&, T a, T b) {
    return pow(a, b);
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    const Term a = g.in(0), b = g.in(1), zero = number(g.dy(), 0);
    if (g.wants(0)) g.add(0, g.dy() * where(apply<Abs>({}, {b}), b * apply<Pow>({}, {a, b + -1.0}), zero));
    if (g.wants(1)) g.add(1, g.dy() * where(a, g.out() * apply<Log>({}, {a}), zero));
  }
  static std::vector<Sample> samples() {
    return {{{}, {{3}, {3}}, 0.3, 2}, {{}, {{2, 4}, {}}, 0.3, 2}, {{}, {{}, {5}}, 0.1, 3}};
  }
  static std::vector<Reject> rejects() {
    return {{{}, {{3}, {4}}, "pow: a[3] and b[4] differ; the shapes must be equal, or one a scalar"}};
  }
};

}  // namespace espalier::op
