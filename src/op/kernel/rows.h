// Ops between the two row spaces: calls, and the rows of a call's variadic group. A group may be empty.
#pragma once
#include "op/elementwise.h"

namespace espalier::op {

struct ListAttrs {
  int list = 0;
};

// Common base of the ops over the rows of a list.
struct OverRows {
  using Attrs = NoAttrs;
  static constexpr std::array<std::string_view, 0> attr_names{};
  static constexpr std::array inputs{Input{"rows", Role::list}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) { return in[0]; }
  static std::vector<Sample> samples() { return {{{}, {{3}}}, {{}, {{2, 2}}}, {{}, {{}}}}; }
  static std::vector<Reject> rejects() { return {}; }
};

struct SumRows;

struct Spread {
  using Attrs = ListAttrs;
  static constexpr Doc doc{"spread", "Repeats the row of a call for each row of its list.", "y_k = x"};
  static constexpr std::array<std::string_view, 1> attr_names{"list"};
  static constexpr std::array inputs{Input{"x"}};
  static constexpr Place place = Place::list;
  static Shape infer(const ListAttrs&, std::span<const Shape> in) { return in[0]; }
  static void gradient(const ListAttrs&, Adjoint& g);
  static std::vector<Sample> samples() { return {{erase(Attrs{0}), {{3}}}, {erase(Attrs{0}), {{}}}}; }
  static std::vector<Reject> rejects() { return {}; }
};

// Repeats x over the list that contains `like`. The Maker knows which list that is.
Term spread(Term x, Term like);

struct SumRows : OverRows {
  static constexpr Doc doc{"sum_rows", "Sum over the rows of a list; 0 for an empty list.", "y = Σ_k x_k"};
  static constexpr Place place = Place::call;
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, spread(g.dy(), g.in(0))); }
};
inline void Spread::gradient(const ListAttrs&, Adjoint& g) { g.add(0, apply<SumRows>({}, {g.dy()})); }

struct InverseCount : OverRows {
  static constexpr Doc doc{"inverse_count", "One over the number of rows; 1 for an empty list. No gradient.",
                           "y = 1 / max(n, 1)"};
  static constexpr Place place = Place::call;
  static Shape infer(const NoAttrs&, std::span<const Shape>) { return {}; }
};

// Marks, element by element, the first row that holds the maximum, to which max_rows passes its gradient.
struct FirstMax : OverRows {
  static constexpr Doc doc{
      "first_max", "One in the first row of a list that holds the maximum, else zero; element by element. No gradient.",
      "y_k = k = argmax_j x_j ? 1 : 0"};
};

struct MaxRows : OverRows {
  static constexpr Doc doc{"max_rows", "Maximum over the rows of a list, element by element.", "y = max_k x_k"};
  static constexpr int min_rows = 1;  // the maximum of an empty list is undefined
  static constexpr Place place = Place::call;
  static void gradient(const NoAttrs&, Adjoint& g) {
    g.add(0, spread(g.dy(), g.in(0)) * apply<FirstMax>({}, {g.in(0)}));
  }
};

struct SoftmaxRows : OverRows {
  static constexpr Doc doc{"softmax_rows",
                           "Softmax over the rows of a list, element by element; zeros if all are -inf.",
                           "y_k = exp(x_k) / Σ_j exp(x_j)"};
  static void gradient(const NoAttrs&, Adjoint& g) {
    const Term y = g.out(), weighted = apply<SumRows>({}, {y * g.dy()});
    g.add(0, y * (g.dy() - spread(weighted, y)));
  }
};

}  // namespace espalier::op
