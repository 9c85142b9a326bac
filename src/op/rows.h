// Ops between the two kinds of row spaces: a call, and the rows of its variadic group. Segments may be empty.
#pragma once
#include "op/elementwise.h"

namespace espalier::op {

struct ListAttrs {
  int list = 0;
};

// What the ops over the rows of a list share.
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
  static constexpr Doc doc{"spread", "The row of the call, once for each row of its list.", "y_k = x"};
  static constexpr std::array<std::string_view, 1> attr_names{"list"};
  static constexpr std::array inputs{Input{"x"}};
  static constexpr Place place = Place::list;
  static Shape infer(const ListAttrs&, std::span<const Shape> in) { return in[0]; }
  static void gradient(const ListAttrs&, Adjoint& g);
  static std::vector<Sample> samples() { return {{erase(Attrs{0}), {{3}}}, {erase(Attrs{0}), {{}}}}; }
  static std::vector<Reject> rejects() { return {}; }
};

// Which list a term over rows belongs to is known to the maker; spread() asks it by naming a row of that list.
Term spread(Term x, Term like);

struct SumRows : OverRows {
  static constexpr Doc doc{"sum_rows", "Sum over the rows of a list; of none, 0.", "y = Σ_k x_k"};
  static constexpr Place place = Place::call;
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, spread(g.dy(), g.in(0))); }
};
inline void Spread::gradient(const ListAttrs&, Adjoint& g) { g.add(0, apply<SumRows>({}, {g.dy()})); }

struct InverseCount : OverRows {
  static constexpr Doc doc{"inverse_count", "One over the number of rows; of none, 1. No gradient.",
                           "y = 1 / max(n, 1)"};
  static constexpr Place place = Place::call;
  static Shape infer(const NoAttrs&, std::span<const Shape>) { return {}; }
};

// Marks, element by element, the first row that holds the maximum: where max_rows sends its gradient.
struct FirstMax : OverRows {
  static constexpr Doc doc{"first_max", "One at the first largest row of a list, else zero. No gradient.",
                           "y_k = k = argmax_j x_j ? 1 : 0"};
};

struct MaxRows : OverRows {
  static constexpr Doc doc{"max_rows", "Maximum over the rows of a list, element by element.", "y = max_k x_k"};
  static constexpr int least_rows = 1;  // the maximum of none has no value
  static constexpr Place place = Place::call;
  static void gradient(const NoAttrs&, Adjoint& g) {
    g.add(0, spread(g.dy(), g.in(0)) * apply<FirstMax>({}, {g.in(0)}));
  }
};

struct SoftmaxRows : OverRows {
  static constexpr Doc doc{"softmax_rows", "Softmax over the rows of a list, element by element.",
                           "y_k = exp(x_k) / Σ_j exp(x_j)"};
  static void gradient(const NoAttrs&, Adjoint& g) {
    const Term y = g.out(), weighted = apply<SumRows>({}, {y * g.dy()});
    g.add(0, y * (g.dy() - spread(weighted, y)));
  }
};

struct MaskAttrs {
  float p = 0.5f;
  int site = 0;  // tells the masks of one cell apart
};
// The mask follows from (seed, epoch, example, call, site, element), never from the batch.
struct DropoutMask {
  using Attrs = MaskAttrs;
  static constexpr Doc doc{"dropout_mask", "Zero with probability p, else 1 / (1 - p); all ones outside training.",
                           "y = u < p ? 0 : 1 / (1 - p)"};
  static constexpr std::array<std::string_view, 2> attr_names{"p", "site"};
  static constexpr std::array inputs{Input{"like"}};
  static constexpr bool random = true;
  static Shape infer(const MaskAttrs& a, std::span<const Shape> in) {
    if (!(a.p >= 0 && a.p < 1)) throw ShapeError("dropout: p = " + std::to_string(a.p) + "; p must be in [0, 1)");
    return in[0];
  }
  static std::vector<Sample> samples() { return {{erase(Attrs{0.5f, 0}), {{8}}}, {erase(Attrs{0.1f, 1}), {{2, 3}}}}; }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1, 0}), {{3}}, "dropout: p = 1.000000; p must be in [0, 1)"}};
  }
};

}  // namespace espalier::op
