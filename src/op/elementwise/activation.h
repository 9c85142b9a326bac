// Activation functions.
#pragma once
#include "op/elementwise/choice.h"
#include "op/elementwise/special.h"

namespace espalier::op {

struct EluAttrs {
  float alpha = 1;
};
struct Elu : Unary<EluAttrs> {
  static constexpr Doc doc{"elu", "Exponential linear unit.", "y = x > 0 ? x : alpha (exp(x) - 1)"};
  static constexpr std::array<std::string_view, 1> attr_names{"alpha"};
  template <class T>
  static T value(const EluAttrs& a, T x) {
    return select(x > T(0.0), x, T(static_cast<double>(a.alpha)) * expm1(min(x, T(0.0))));
  }
  // Below zero the slope is y + alpha, above it is 1.
  static void gradient(const EluAttrs& a, Adjoint& g) {
    const Term positive = step(g.in(0));
    g.add(0, g.dy() * (positive + (1.0 - positive) * (g.out() + static_cast<double>(a.alpha))));
  }
  static std::vector<Sample> samples() {
    return {{erase(EluAttrs{1}), {{4}}, 0.1, 2}, {erase(EluAttrs{3}), {{2, 3}}, -2, -0.1}};
  }
};

struct LeakyReluAttrs {
  float slope = 0.01f;
};
struct LeakyRelu : Unary<LeakyReluAttrs> {
  static constexpr Doc doc{"leaky_relu", "ReLU with a small slope below zero.", "y = x > 0 ? x : slope x"};
  static constexpr std::array<std::string_view, 1> attr_names{"slope"};
  template <class T>
  static T value(const LeakyReluAttrs& a, T x) {
    return select(x > T(0.0), x, T(static_cast<double>(a.slope)) * x);
  }
  static void gradient(const LeakyReluAttrs& a, Adjoint& g) {
    const double s = static_cast<double>(a.slope);
    g.add(0, g.dy() * (step(g.in(0)) * (1 - s) + s));
  }
  static std::vector<Sample> samples() {
    return {{erase(LeakyReluAttrs{}), {{4}}, 0.1, 2}, {erase(LeakyReluAttrs{0.3f}), {{2, 3}}, -2, -0.1}};
  }
};

struct Relu : Unary<> {
  static constexpr Doc doc{"relu", "Rectified linear unit; the gradient at 0 is 0.", "y = max(x, 0)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return max(x, T(0.0));
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * step(g.out())); }
  static std::vector<Sample> samples() { return {{{}, {{5}}, 0.1, 2}, {{}, {{2, 5}}, -2, -0.1}}; }
};

struct Selu : Unary<> {
  static constexpr Doc doc{"selu", "Scaled exponential linear unit (Klambauer et al. 2017).",
                           "y = 1.0507 (x > 0 ? x : 1.6733 (exp(x) - 1))"};
  static constexpr double scale = 1.0507009873554805, below = scale * 1.6732632423543772;
  template <class T>
  static T value(const NoAttrs&, T x) {
    return select(x > T(0.0), T(scale) * x, T(below) * expm1(min(x, T(0.0))));
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    const Term positive = step(g.in(0));
    g.add(0, g.dy() * (positive * scale + (1.0 - positive) * (g.out() + below)));
  }
  static std::vector<Sample> samples() { return {{{}, {{4}}, 0.1, 2}, {{}, {{2, 3}}, -2, -0.1}}; }
};

struct Sigmoid : Unary<> {
  static constexpr Doc doc{"sigmoid", "Logistic function.", "y = 1 / (1 + exp(-x))"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return sigmoid(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * (g.out() * (1.0 - g.out()))); }
};

struct LogSigmoid : Unary<> {
  static constexpr Doc doc{"log_sigmoid", "Logarithm of sigmoid.", "y = -log(1 + exp(-x))"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return min(x, T(0.0)) - log1p(exp(-abs(x)));
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * apply<Sigmoid>({}, {-g.in(0)})); }
};

struct Silu : Unary<> {
  static constexpr Doc doc{"silu", "Sigmoid linear unit.", "y = x / (1 + exp(-x))"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return x * sigmoid(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    const Term s = apply<Sigmoid>({}, {g.in(0)});
    g.add(0, g.dy() * (s * (g.in(0) * (1.0 - s) + 1.0)));
  }
};

struct Softplus : Unary<> {
  static constexpr Doc doc{"softplus", "Smooth approximation of ReLU.", "y = log(1 + exp(x))"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return max(x, T(0.0)) + log1p(exp(-abs(x)));
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * apply<Sigmoid>({}, {g.in(0)})); }
};

struct Softsign : Unary<> {
  static constexpr Doc doc{"softsign", "Similar to tanh, with longer tails.", "y = x / (1 + |x|)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return x / (abs(x) + T(1.0));
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    const Term d = apply<Abs>({}, {g.in(0)}) + 1.0;
    g.add(0, g.dy() / (d * d));
  }
};

struct Gelu : Unary<> {
  static constexpr Doc doc{"gelu", "Gaussian error linear unit.", "y = x (1 + erf(x / √2)) / 2"};
  static constexpr double half_root = 0.70710678118654752;
  template <class T>
  static T value(const NoAttrs&, T x) {
    return T(0.5) * x * (erf(x * T(half_root)) + T(1.0));
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    const Term x = g.in(0), below = (apply<Erf>({}, {x * half_root}) + 1.0) * 0.5;
    g.add(0, g.dy() * (below + x * apply<Exp>({}, {x * x * -0.5}) * 0.39894228040143268));
  }
};

}  // namespace espalier::op
