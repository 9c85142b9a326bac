// Exponentials and logarithms.
#pragma once
#include "op/elementwise.h"

namespace espalier::op {

struct Exp : Unary<> {
  static constexpr Doc doc{"exp", "Exponential.", "y = exp(x)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return exp(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * g.out()); }
};

struct Expm1 : Unary<> {
  static constexpr Doc doc{"expm1", "exp(x) - 1, accurate near 0.", "y = exp(x) - 1"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return expm1(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * (g.out() + 1.0)); }
};

struct Log : Unary<> {
  static constexpr Doc doc{"log", "Natural logarithm.", "y = log(x)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return log(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() / g.in(0)); }
  static std::vector<Sample> samples() { return {{{}, {{4}}, 0.2, 3}, {{}, {{2, 3}}, 0.01, 1}}; }
};

struct Log1p : Unary<> {
  static constexpr Doc doc{"log1p", "log(1 + x), accurate near 0.", "y = log(1 + x)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return log1p(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() / (g.in(0) + 1.0)); }
  static std::vector<Sample> samples() { return {{{}, {{4}}, -0.8, 2}, {{}, {{2, 3}}, -0.1, 0.1}}; }
};

}  // namespace espalier::op
