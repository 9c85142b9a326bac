// Sparsemax and constrained softmax. op/kernel/sparsemax.h defines the ops; exec/plain/sparsemax.h explains why the
// iterations end.
#pragma once
#include "exec/gpu/op/lines.h"
#include "op/kernel/sparsemax.h"

namespace espalier {

template <>
struct WorkItems<op::Sparsemax> : LinesByGroup {
  using LinesByGroup::LinesByGroup;
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t item) const {
    const Line<const float> from = in(item);
    const Line<float> to = out(item);
    const float m = largest_of(group, from), bound = threshold(group, from, m);
    for (int64_t k = group.rank(); k < from.n; k += group.size()) {
      const float above = from[k] - m - bound;
      to[k] = above > 0 ? above : 0;
    }
  }

 private:
  // The threshold that is subtracted from every x - m, so that the positive differences sum to 1.
  template <class Group>
  ESPALIER_HOST_DEVICE static float threshold(const Group& group, const Line<const float>& x, float m) {
    float bound = -1;  // the threshold if only the largest element were positive
    for (int64_t before = x.n + 1;;) {
      int mine = 0;
      const float sum = sum_of(group, x.n, [&](int64_t k) {
        const float v = x[k] - m;
        if (!(v > bound)) return 0.0f;
        ++mine;
        return v;
      });
      const int64_t support = group.sum(mine);
      if (support == 0 || support >= before) return bound;
      bound = larger(bound, (sum - 1) / static_cast<float>(support));
      before = support;
    }
  }
};

template <>
struct WorkItems<op::ConstrainedSoftmax> : RowsByGroup {
  Rows<const float> bounds;
  explicit WorkItems(const OpLaunch<float>& l) : RowsByGroup(l), bounds(l.in[1]) {}
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t row) const {
    const Line<const float> from = in(row);
    const float* u = bounds[row];
    const Free free = free_elements(group, from, u);
    for (int64_t k = group.rank(); k < from.n; k += group.size())
      y[row][k] = free.holds(from[k], u[k]) ? not_negative(u[k]) : free.share(from[k]);
  }

 private:
  ESPALIER_HOST_DEVICE static float not_negative(float u) { return u < 0 ? 0 : u; }

  // The scale of the free elements: they are their softmax times (1 - the sum of the bounded elements).
  struct Free {
    float factor = 0, largest = 0;
    ESPALIER_HOST_DEVICE float share(float x) const { return factor * std::exp(x - largest); }
    ESPALIER_HOST_DEVICE bool holds(float x, float u) const { return share(x) > not_negative(u); }
  };
  template <class Group>
  ESPALIER_HOST_DEVICE static Free free_elements(const Group& group, const Line<const float>& x, const float* u) {
    Free free;
    for (int64_t before = -1;;) {
      int mine = 0;
      float m = -std::numeric_limits<float>::infinity();
      const float taken = sum_of(group, x.n, [&](int64_t k) {
        if (free.holds(x[k], u[k])) {
          ++mine;
          return not_negative(u[k]);
        }
        m = larger(m, x[k]);
        return 0.0f;
      });
      const float left = 1 - taken;
      const int64_t held = group.sum(mine);
      m = group.largest(m);
      if (held == x.n || held == before || left <= 0) return free;
      const float sum =
          sum_of(group, x.n, [&](int64_t k) { return free.holds(x[k], u[k]) ? 0.0f : std::exp(x[k] - m); });
      free.factor = left / sum;
      free.largest = m;
      before = held;
    }
  }
};

}  // namespace espalier
