// Identities that change the gradient.
#pragma once
#include "op/elementwise.h"

namespace espalier::op {

struct FlipGradient : Unary<> {
  static constexpr Doc doc{"flip_gradient", "Identity whose gradient changes sign.", "y = x, dy/dx = -1"};
  static constexpr bool own_slope = true;
  template <class T>
  static T value(const NoAttrs&, T x) {
    return +x;
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, -g.dy()); }
};

struct ScaleGradientAttrs {
  float factor = 1;
};
struct ScaleGradient : Unary<ScaleGradientAttrs> {
  static constexpr Doc doc{"scale_gradient", "Identity whose gradient is scaled.", "y = x, dy/dx = factor"};
  static constexpr std::array<std::string_view, 1> attr_names{"factor"};
  static constexpr bool own_slope = true;
  template <class T>
  static T value(const ScaleGradientAttrs&, T x) {
    return +x;
  }
  static void gradient(const ScaleGradientAttrs& a, Adjoint& g) { g.add(0, g.dy() * static_cast<double>(a.factor)); }
  static std::vector<Sample> samples() { return {{erase(Attrs{0.5f}), {{3}}}, {erase(Attrs{-2}), {{2, 4}}}}; }
};

struct StopGradient : Unary<> {
  static constexpr Doc doc{"stop_gradient", "Identity that passes no gradient.", "y = x, dy/dx = 0"};
  static constexpr bool own_slope = true;
  template <class T>
  static T value(const NoAttrs&, T x) {
    return +x;
  }
};

}  // namespace espalier::op
