// Functions of one number: a formula and its slope.
#pragma once
#include "op/elementwise.h"

namespace espalier::op {

struct Abs : Unary<> {
  static constexpr Doc doc{"abs", "Absolute value; the slope at 0 is -1.", "y = |x|"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return abs(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * (apply<Step>({}, {g.in(0)}) * 2.0 + -1.0)); }
  static std::vector<Sample> samples() { return {{{}, {{4}}, 0.1, 2}, {{}, {{2, 3}}, -2, -0.1}}; }
};

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

struct Exp : Unary<> {
  static constexpr Doc doc{"exp", "Exponential.", "y = exp(x)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return exp(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * g.out()); }
};

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
    const Term positive = apply<Step>({}, {g.in(0)});
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
  static constexpr Doc doc{"leaky_relu", "Relu with a small slope below zero.", "y = x > 0 ? x : slope x"};
  static constexpr std::array<std::string_view, 1> attr_names{"slope"};
  template <class T>
  static T value(const LeakyReluAttrs& a, T x) {
    return select(x > T(0.0), x, T(static_cast<double>(a.slope)) * x);
  }
  static void gradient(const LeakyReluAttrs& a, Adjoint& g) {
    const double s = static_cast<double>(a.slope);
    g.add(0, g.dy() * (apply<Step>({}, {g.in(0)}) * (1 - s) + s));
  }
  static std::vector<Sample> samples() {
    return {{erase(LeakyReluAttrs{}), {{4}}, 0.1, 2}, {erase(LeakyReluAttrs{0.3f}), {{2, 3}}, -2, -0.1}};
  }
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

struct Relu : Unary<> {
  static constexpr Doc doc{"relu", "Rectified linear unit; the slope at 0 is 0.", "y = max(x, 0)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return max(x, T(0.0));
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * apply<Step>({}, {g.out()})); }
  static std::vector<Sample> samples() { return {{{}, {{5}}, 0.1, 2}, {{}, {{2, 5}}, -2, -0.1}}; }
};

struct Sigmoid : Unary<> {
  static constexpr Doc doc{"sigmoid", "Logistic function.", "y = 1 / (1 + exp(-x))"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return sigmoid(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * (g.out() * (1.0 - g.out()))); }
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
  static constexpr Doc doc{"softplus", "A smooth relu.", "y = log(1 + exp(x))"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return max(x, T(0.0)) + log1p(exp(-abs(x)));
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * apply<Sigmoid>({}, {g.in(0)})); }
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

struct Square : Unary<> {
  static constexpr Doc doc{"square", "Square.", "y = x²"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return x * x;
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * (g.in(0) * 2.0)); }
};

struct Tanh : Unary<> {
  static constexpr Doc doc{"tanh", "Hyperbolic tangent.", "y = tanh(x)"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return tanh(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * (1.0 - g.out() * g.out())); }
};

}  // namespace espalier::op
