// Log-sum-exp: log Σ exp(x) without overflow; -inf if all x are -inf, or if there are none. The gradient is computed as
// softmax(x), not as exp(x - y), which keeps only three digits of a float near 1e4.
#pragma once
#include "op/kernel/axis.h"
#include "op/kernel/rows.h"

namespace espalier::op {

struct LogSumExp : AlongAxis<LogSumExp> {
  static constexpr Doc doc{"logsumexp", "Log-sum-exp over one axis, which is removed.", "y = log Σ_axis exp(x)"};
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    check_axis("logsumexp", a.axis, in[0]);
    return without(in[0], a.axis);
  }
  static void gradient(const AxisAttrs& a, Adjoint& g) {
    const BroadcastAttrs along{a.axis, g.in(0).shape()[a.axis]};
    if (along.n == 0) return;
    g.add(0, apply<Broadcast>(along, {g.dy()}) * apply<Softmax>(a, {g.in(0)}));
  }
  static double flops(const AxisAttrs&, std::span<const Shape> in, const Shape&) {
    return 2 * static_cast<double>(in[0].size());
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0}), {{5}}},
            {erase(Attrs{0}), {{1}}},
            {erase(Attrs{0}), {{3, 2}}},
            {erase(Attrs{1}), {{2, 19}}},
            {erase(Attrs{1}), {{2, 3, 2}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{0}), {{}}, "logsumexp: x[] is a scalar; x must have at least one axis"},
            {erase(Attrs{2}), {{2, 3}}, "logsumexp: axis 2 of x[2,3]; the axis must be 0…1"}};
  }
};

struct LogSumExpRows : OverRows {
  static constexpr Doc doc{"logsumexp_rows", "Log-sum-exp over the rows of a list, element by element.",
                           "y = log Σ_k exp(x_k)"};
  static constexpr int min_rows = 1;
  static constexpr Place place = Place::call;
  static void gradient(const NoAttrs&, Adjoint& g) {
    g.add(0, spread(g.dy(), g.in(0)) * apply<SoftmaxRows>({}, {g.in(0)}));
  }
};

}  // namespace espalier::op
