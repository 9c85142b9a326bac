// log_softmax over a masked subset of the elements. Composed.
#pragma once
#include <limits>

#include "op/composed.h"
#include "op/elementwise/choice.h"
#include "op/kernel/extrema.h"
#include "op/kernel/logsumexp.h"

namespace espalier::op {

struct MaskedLogSoftmax : Composed<AxisAttrs> {
  static constexpr Doc doc{"masked_log_softmax",
                           "Log-softmax over the elements of an axis where the mask is above 0; -inf elsewhere.",
                           "y = mask > 0 ? x - log Σ_{mask} exp(x) : -inf"};
  static constexpr std::array<std::string_view, 1> attr_names{"axis"};
  static constexpr std::array inputs{Input{"x"}, Input{"mask"}};
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    check_not_empty("masked_log_softmax", a.axis, in[0]);
    if (in[1] != in[0])
      throw ShapeError("masked_log_softmax: x" + str(in[0]) + " and mask" + str(in[1]) +
                       " differ; the shapes must be equal");
    return in[0];
  }
  static Term compose(const AxisAttrs& a, std::span<const Term> in) {
    const Term x = in[0], mask = in[1], none = number(x, -std::numeric_limits<double>::infinity());
    const Term sum = apply<LogSumExp>(a, {where(mask, x, none)});
    return where(mask, x - apply<Broadcast>({a.axis, x.shape()[a.axis]}, {sum}), none);
  }
  // Sampled masks are positive everywhere; other masks are tested by hand.
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0}), {{5}, {5}}, 0.1, 2}, {erase(Attrs{1}), {{2, 3}, {2, 3}}, 0.5, 3}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{0}), {{4}, {3}}, "masked_log_softmax: x[4] and mask[3] differ; the shapes must be equal"},
            {erase(Attrs{1}), {{4}, {4}}, "masked_log_softmax: axis 1 of x[4]; the axis must be 0…0"}};
  }
};

}  // namespace espalier::op
