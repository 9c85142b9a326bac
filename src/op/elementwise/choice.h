// Ops that choose between two values.
#pragma once
#include "op/elementwise.h"

namespace espalier::op {

struct Choose : Elementwise<NoAttrs, 3> {
  static constexpr Doc doc{"where", "Element-wise choice; the condition gets no gradient.",
                           "y = condition > 0 ? a : b"};
  static constexpr std::array inputs{Input{"condition"}, Input{"a"}, Input{"b"}};
  template <class T>
  static T value(const NoAttrs&, T condition, T a, T b) {
    return select(condition > T(0.0), a, b);
  }
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    Shape shape = in[0];
    for (const Shape& s : in) {
      if (shape == Shape{}) shape = s;
      if (s == shape || s == Shape{}) continue;
      throw ShapeError("where: condition" + str(in[0]) + ", a" + str(in[1]) + " and b" + str(in[2]) +
                       " differ; the shapes must be equal, or scalars");
    }
    return shape;
  }
  static void gradient(const NoAttrs&, Adjoint& g);
  static std::vector<Sample> samples() {
    return {{{}, {{3}, {3}, {3}}, 0.3, 2}, {{}, {{}, {5}, {5}}, -2, -0.3}, {{}, {{2, 4}, {}, {2, 4}}}};
  }
  static std::vector<Reject> rejects() {
    return {{{}, {{}, {3}, {4}}, "where: condition[], a[3] and b[4] differ; the shapes must be equal, or scalars"},
            {{}, {{2}, {3}, {}}, "where: condition[2], a[3] and b[] differ; the shapes must be equal, or scalars"}};
  }
};
inline Term where(Term condition, Term a, Term b) { return apply<Choose>({}, {condition, a, b}); }
inline Term step(Term x) { return apply<Step>({}, {x}); }
// Selects instead of multiplying by 0, because dy may be infinite where the other branch is taken.
inline void Choose::gradient(const NoAttrs&, Adjoint& g) {
  const Term zero = number(g.dy(), 0);
  if (g.wants(1)) g.add(1, where(g.in(0), g.dy(), zero));
  if (g.wants(2)) g.add(2, where(g.in(0), zero, g.dy()));
}

struct Sign : Unary<> {
  static constexpr Doc doc{"sign", "Sign: -1, 0 or 1. No gradient.", "y = x > 0 ? 1 : x < 0 ? -1 : 0"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return (x > T(0.0)) - (T(0.0) > x);
  }
  static std::vector<Sample> samples() { return {{{}, {{4}}, 0.1, 2}, {{}, {{2, 3}}, -2, -0.1}}; }
};

struct Abs : Unary<> {
  static constexpr Doc doc{"abs", "Absolute value; the gradient at 0 is 0.", "y = |x|"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return abs(x);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, g.dy() * apply<Sign>({}, {g.in(0)})); }
  static std::vector<Sample> samples() { return {{{}, {{4}}, 0.1, 2}, {{}, {{2, 3}}, -2, -0.1}}; }
};

struct Max : Binary<Max> {
  static constexpr Doc doc{"max", "Element-wise maximum; on ties, a gets the gradient.", "y = max(a, b)"};
  template <class T>
  static T value(const NoAttrs&, T a, T b) {
    return max(a, b);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { choose(g, g.in(1) - g.in(0)); }
  // b gets the gradient where `excess` is positive, else a.
  static void choose(Adjoint& g, Term excess) {
    const Term zero = number(g.dy(), 0);
    if (g.wants(0)) g.add(0, where(excess, zero, g.dy()));
    if (g.wants(1)) g.add(1, where(excess, g.dy(), zero));
  }
  static std::vector<Reject> rejects() {
    return {{{}, {{3}, {4}}, "max: a[3] and b[4] differ; the shapes must be equal, or one a scalar"}};
  }
};

struct Min : Binary<Min> {
  static constexpr Doc doc{"min", "Element-wise minimum; on ties, a gets the gradient.", "y = min(a, b)"};
  template <class T>
  static T value(const NoAttrs&, T a, T b) {
    return min(a, b);
  }
  static void gradient(const NoAttrs&, Adjoint& g) { Max::choose(g, g.in(0) - g.in(1)); }
  static std::vector<Reject> rejects() {
    return {{{}, {{3}, {4}}, "min: a[3] and b[4] differ; the shapes must be equal, or one a scalar"}};
  }
};

struct ClampAttrs {
  float lo = 0, hi = 1;
};
struct Clamp : Unary<ClampAttrs> {
  static constexpr Doc doc{"clamp", "Limits x to [lo, hi]; the gradient is 0 outside of (lo, hi).",
                           "y = min(max(x, lo), hi)"};
  static constexpr std::array<std::string_view, 2> attr_names{"lo", "hi"};
  template <class T>
  static T value(const ClampAttrs& a, T x) {
    return min(max(x, T(static_cast<double>(a.lo))), T(static_cast<double>(a.hi)));
  }
  static Shape infer(const ClampAttrs& a, std::span<const Shape> in) {
    if (!(a.lo <= a.hi))
      throw ShapeError("clamp: lo = " + std::to_string(a.lo) + ", hi = " + std::to_string(a.hi) +
                       "; lo must be at most hi");
    return in[0];
  }
  static void gradient(const ClampAttrs& a, Adjoint& g) {
    const Term x = g.in(0), zero = number(g.dy(), 0);
    const Term below = where(static_cast<double>(a.hi) - x, g.dy(), zero);
    g.add(0, where(x + -static_cast<double>(a.lo), below, zero));
  }
  static std::vector<Sample> samples() {
    const auto a = erase(Attrs{-0.5f, 1});
    return {{a, {{4}}, -0.4, 0.9}, {a, {{2, 3}}, 1.1, 2}, {a, {{}}, -2, -0.6}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1, 0}), {{3}}, "clamp: lo = 1.000000, hi = 0.000000; lo must be at most hi"}};
  }
};

}  // namespace espalier::op
