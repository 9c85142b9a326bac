// Cumulative sums along an axis.
#pragma once
#include "op/kernel/axis.h"

namespace espalier::op {

struct CumsumAttrs {
  int axis = 0;
  bool reverse = false;
};
struct Cumsum {
  using Attrs = CumsumAttrs;
  static constexpr Doc doc{"cumsum", "Cumulative sum along one axis; with reverse, from the end.",
                           "y[k] = Σ_{j ≤ k} x[j]"};
  static constexpr std::array<std::string_view, 2> attr_names{"axis", "reverse"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const CumsumAttrs& a, std::span<const Shape> in) {
    check_axis("cumsum", a.axis, in[0]);
    return in[0];
  }
  static void gradient(const CumsumAttrs& a, Adjoint& g) { g.add(0, apply<Cumsum>({a.axis, !a.reverse}, {g.dy()})); }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0, false}), {{5}}},
            {erase(Attrs{0, true}), {{1}}},
            {erase(Attrs{0, true}), {{3, 2}}},
            {erase(Attrs{1, false}), {{2, 3, 2}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1, false}), {{4}}, "cumsum: axis 1 of x[4]; the axis must be 0…0"}};
  }
};

}  // namespace espalier::op
