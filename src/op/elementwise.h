// The base of all element-wise ops, and the arithmetic on which all gradients are built. Operands have equal shapes, or
// one is a scalar, which is broadcast.
#pragma once
#include "op/op.h"

namespace espalier::op {

template <class A, size_t N>
struct Elementwise {
  using Attrs = A;
  static constexpr bool elementwise = true;
  static constexpr std::array<std::string_view, 0> attr_names{};
  static std::vector<Reject> rejects() { return {}; }
};

template <class A = NoAttrs>
struct Unary : Elementwise<A, 1> {
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const A&, std::span<const Shape> in) { return in[0]; }
  static std::vector<Sample> samples() { return {{erase(A{}), {{3}}}, {erase(A{}), {{2, 4}}}, {erase(A{}), {{}}}}; }
};

template <class Self>
struct Binary : Elementwise<NoAttrs, 2> {
  static constexpr std::array inputs{Input{"a"}, Input{"b"}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in[0] == in[1] || in[1] == Shape{}) return in[0];
    if (in[0] == Shape{}) return in[1];
    throw ShapeError(std::string(Self::doc.name) + ": a" + str(in[0]) + " and b" + str(in[1]) +
                     " differ; the shapes must be equal, or one a scalar");
  }
  static std::vector<Sample> samples() {
    return {{{}, {{3}, {3}}, 0.3, 2}, {{}, {{2, 4}, {}}, 0.3, 2}, {{}, {{}, {5}}, -2, -0.3}};
  }
};

struct FullAttrs {
  Shape shape{};
  float value = 0;
};
struct Full : Elementwise<FullAttrs, 0> {
  static constexpr Doc doc{"full", "A constant.", "y = value"};
  static constexpr std::array<std::string_view, 2> attr_names{"shape", "value"};
  static constexpr std::array<Input, 0> inputs{};
  template <class T>
  static T value(const FullAttrs& a) {
    return T(static_cast<double>(a.value));
  }
  static Shape infer(const FullAttrs& a, std::span<const Shape>) { return a.shape; }
  static void gradient(const FullAttrs&, Adjoint&) {}
  static std::vector<Sample> samples() { return {{erase(FullAttrs{{3}, 0.5f}), {}}, {erase(FullAttrs{{}, 0}), {}}}; }
};

inline Term number(Term like, double value) {
  return {like.maker, like.maker->make(info<Full>(), erase(FullAttrs{{}, static_cast<float>(value)}), {})};
}

Term operator+(Term a, Term b);
Term operator-(Term a, Term b);
Term operator*(Term a, Term b);
Term operator/(Term a, Term b);
Term operator-(Term a);
inline Term operator+(Term a, double b) { return a + number(a, b); }
inline Term operator-(double a, Term b) { return number(b, a) - b; }
inline Term operator*(Term a, double b) { return a * number(a, b); }
inline Term operator/(double a, Term b) { return number(b, a) / b; }

struct Add : Binary<Add> {
  static constexpr Doc doc{"add", "Element-wise sum.", "y = a + b"};
  template <class T>
  static T value(const NoAttrs&, T a, T b) {
    return a + b;
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    g.add(0, g.dy());
    g.add(1, g.dy());
  }
  static std::vector<Reject> rejects() {
    return {{{}, {{3}, {4}}, "add: a[3] and b[4] differ; the shapes must be equal, or one a scalar"}};
  }
};

struct Sub : Binary<Sub> {
  static constexpr Doc doc{"sub", "Element-wise difference.", "y = a - b"};
  template <class T>
  static T value(const NoAttrs&, T a, T b) {
    return a - b;
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    g.add(0, g.dy());
    if (g.wants(1)) g.add(1, -g.dy());
  }
};

struct Mul : Binary<Mul> {
  static constexpr Doc doc{"mul", "Element-wise product.", "y = a b"};
  template <class T>
  static T value(const NoAttrs&, T a, T b) {
    return a * b;
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    if (g.wants(0)) g.add(0, g.dy() * g.in(1));
    if (g.wants(1)) g.add(1, g.dy() * g.in(0));
  }
};

struct Div : Binary<Div> {
  static constexpr Doc doc{"div", "Element-wise quotient.", "y = a / b"};
  template <class T>
  static T value(const NoAttrs&, T a, T b) {
    return a / b;
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    if (g.wants(0)) g.add(0, g.dy() / g.in(1));
    if (g.wants(1)) g.add(1, -(g.dy() * g.out() / g.in(1)));
  }
};

struct Neg : Unary<> {
  static constexpr Doc doc{"neg", "Negation.", "y = -x"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return -x;
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, -g.dy()); }
};

struct Copy : Unary<> {
  static constexpr Doc doc{"copy", "Copies x into a new row.", "y = x"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return +x;
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy()); }
};

// The derivative of relu and similar ops.
struct Step : Unary<> {
  static constexpr Doc doc{"step", "One above zero, else zero. No gradient.", "y = x > 0 ? 1 : 0"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return select(x > T(0.0), T(1.0), T(0.0));
  }
  static std::vector<Sample> samples() { return {{{}, {{5}}, 0.1, 2}, {{}, {{5}}, -2, -0.1}}; }
};

inline Term operator+(Term a, Term b) { return apply<Add>({}, {a, b}); }
inline Term operator-(Term a, Term b) { return apply<Sub>({}, {a, b}); }
inline Term operator*(Term a, Term b) { return apply<Mul>({}, {a, b}); }
inline Term operator/(Term a, Term b) { return apply<Div>({}, {a, b}); }
inline Term operator-(Term a) { return apply<Neg>({}, {a}); }

}  // namespace espalier::op
