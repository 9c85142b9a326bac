// Sparsemax and constrained softmax. See op/kernel/sparsemax.h for what each op means, and exec/plain/sparsemax.h for
// why the rounds end.
#pragma once
#include "exec/cuda/op/lines.h"
#include "op/kernel/sparsemax.h"

namespace espalier {

template <>
struct Pieces<op::Sparsemax> : LinesByTeam {
  using LinesByTeam::LinesByTeam;
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t piece) const {
    const Line<const float> from = in(piece);
    const Line<float> to = out(piece);
    const float m = largest_of(team, from), bound = threshold(team, from, m);
    for (int64_t k = team.rank(); k < from.n; k += team.size()) {
      const float above = from[k] - m - bound;
      to[k] = above > 0 ? above : 0;
    }
  }

 private:
  // What is taken off every x - m so that what stays above 0 adds up to 1.
  template <class Team>
  ESPALIER_HOST_DEVICE static float threshold(const Team& team, const Line<const float>& x, float m) {
    float bound = -1;  // the largest element alone
    for (int64_t before = x.n + 1;;) {
      int mine = 0;
      const float sum = sum_of(team, x.n, [&](int64_t k) {
        const float v = x[k] - m;
        if (!(v > bound)) return 0.0f;
        ++mine;
        return v;
      });
      const int64_t support = team.sum(mine);
      if (support == 0 || support >= before) return bound;
      bound = larger(bound, (sum - 1) / static_cast<float>(support));
      before = support;
    }
  }
};

template <>
struct Pieces<op::ConstrainedSoftmax> : RowsByTeam {
  Rows<const float> bounds;
  explicit Pieces(const OpLaunch<float>& l) : RowsByTeam(l), bounds(l.in[1]) {}
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t row) const {
    const Line<const float> from = in(row);
    const float* u = bounds[row];
    const Free free = free_elements(team, from, u);
    for (int64_t k = team.rank(); k < from.n; k += team.size())
      y[row][k] = free.holds(from[k], u[k]) ? not_negative(u[k]) : free.share(from[k]);
  }

 private:
  ESPALIER_HOST_DEVICE static float not_negative(float u) { return u < 0 ? 0 : u; }

  // What the free elements get: their softmax, times what the held ones leave.
  struct Free {
    float factor = 0, largest = 0;
    ESPALIER_HOST_DEVICE float share(float x) const { return factor * std::exp(x - largest); }
    ESPALIER_HOST_DEVICE bool holds(float x, float u) const { return share(x) > not_negative(u); }
  };
  template <class Team>
  ESPALIER_HOST_DEVICE static Free free_elements(const Team& team, const Line<const float>& x, const float* u) {
    Free free;
    for (int64_t before = -1;;) {
      int mine = 0;
      float m = -std::numeric_limits<float>::infinity();
      const float taken = sum_of(team, x.n, [&](int64_t k) {
        if (free.holds(x[k], u[k])) {
          ++mine;
          return not_negative(u[k]);
        }
        m = larger(m, x[k]);
        return 0.0f;
      });
      const float left = 1 - taken;
      const int64_t held = team.sum(mine);
      m = team.largest(m);
      if (held == x.n || held == before || left <= 0) return free;
      const float sum =
          sum_of(team, x.n, [&](int64_t k) { return free.holds(x[k], u[k]) ? 0.0f : std::exp(x[k] - m); });
      free.factor = left / sum;
      free.largest = m;
      before = held;
    }
  }
};

}  // namespace espalier
