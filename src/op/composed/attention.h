// Attention over the rows of a list, of any length; the cost is linear in the total number of rows.
#pragma once
#include <cmath>

#include "op/composed/contraction.h"
#include "op/kernel/rows.h"

namespace espalier::op {

struct Attention : Composed<> {
  static constexpr Doc doc{"attention", "Scaled dot-product attention over the rows of a list; 0 for an empty list.",
                           "y = Σ_k softmax_k(q·key_k / √d) value_k"};
  static constexpr std::array inputs{Input{"query"}, Input{"keys", Role::list}, Input{"values", Role::list}};
  static constexpr Place place = Place::call;
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in[0] != in[1] || in[0].rank != 1)
      throw ShapeError("attention: query" + str(in[0]) + " and keys" + str(in[1]) +
                       "; both must be vectors of the same size");
    return in[2];
  }
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    const Term scores = apply<Dot>({}, {in[0], in[1]}) * (1 / std::sqrt(static_cast<double>(in[0].shape()[0])));
    return apply<SumRows>({}, {apply<SoftmaxRows>({}, {scores}) * in[2]});
  }
  static std::vector<Sample> samples() { return {{{}, {{3}, {3}, {2}}}, {{}, {{2}, {2}, {2, 2}}}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{3}, {2}, {2}}, "attention: query[3] and keys[2]; both must be vectors of the same size"}};
  }
};

}  // namespace espalier::op
