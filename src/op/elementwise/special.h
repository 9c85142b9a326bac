// The error function and the gamma function.
#pragma once
#include "op/elementwise/exponential.h"

namespace espalier::op {

struct Erf : Unary<> {
  static constexpr Doc doc{"erf", "Error function.", "y = 2/√π ∫₀ˣ exp(-t²) dt"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return erf(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    g.add(0, g.dy() * (apply<Exp>({}, {-(g.in(0) * g.in(0))}) * 1.1283791670955126));
  }
};

struct Digamma : Unary<> {
  static constexpr Doc doc{"digamma", "Derivative of lgamma. No gradient.", "y = Γ'(x) / Γ(x)"};
  static constexpr bool own_slope = true;
  template <class T>
  static T value(const NoAttrs&, T x) {
    return digamma(x);
  }
  static std::vector<Sample> samples() { return {{{}, {{4}}, 0.3, 4}, {{}, {{2, 3}}, -1.8, -1.2}}; }
};

struct Lgamma : Unary<> {
  static constexpr Doc doc{"lgamma", "Logarithm of the gamma function.", "y = log |Γ(x)|"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return lgamma(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * apply<Digamma>({}, {g.in(0)})); }
  static std::vector<Sample> samples() { return {{{}, {{4}}, 0.3, 4}, {{}, {{2, 3}}, -1.8, -1.2}}; }
};

}  // namespace espalier::op
