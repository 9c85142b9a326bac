// Ops that read an integer of the call. See op/kernel/indexed.h for what each op means.
#pragma once
#include "exec/cuda/op/axis.h"
#include "exec/cuda/op/lines.h"
#include "op/kernel/indexed.h"

namespace espalier {

template <>
struct Pieces<op::InputRow> : Elements<Pieces<op::InputRow>> {
  const float* data;
  IndexOf index;
  explicit Pieces(const OpLaunch<float>& l) : Elements(l), data(l.data), index(l) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const { return data[index[row] + e]; }
};

template <>
struct Pieces<op::Lookup> : Elements<Pieces<op::Lookup>> {
  const float* table;
  IndexOf index;
  explicit Pieces(const OpLaunch<float>& l) : Elements(l), table(l.in[0].data), index(l) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const { return table[index[row] * size.value() + e]; }
};

template <>
struct Pieces<op::OneHot> : Elements<Pieces<op::OneHot>> {
  IndexOf index;
  explicit Pieces(const OpLaunch<float>& l) : Elements(l), index(l) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const { return e == index[row] ? 1 : 0; }
};

template <>
struct Pieces<op::Put> : Elements<Pieces<op::Put>> {
  Rows<const float> x;
  PlacesAlong a;
  IndexOf index;
  explicit Pieces(const OpLaunch<float>& l)
      : Elements(l), x(l.in[0]), a(l.kernel->out_shape, unerase<op::PutAttrs>(l.kernel->attrs).axis), index(l) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const auto at = a[e];
    return at.k == index[row] ? x[row][at.o * a.inner + at.i] : 0;
  }
};

template <>
struct Pieces<op::Pick> : Elements<Pieces<op::Pick>> {
  Rows<const float> x;
  PlacesAlong a;
  IndexOf index;
  explicit Pieces(const OpLaunch<float>& l)
      : Elements(l), x(l.in[0]), a(l.kernel->in_shapes[0], unerase<op::AxisAttrs>(l.kernel->attrs).axis), index(l) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    return x[row][a.at(e / a.by_inner, index[row], e % a.by_inner)];
  }
};

template <>
struct Pieces<op::CrossEntropy> : RowsByTeam {
  IndexOf index;
  explicit Pieces(const OpLaunch<float>& l) : RowsByTeam(l), index(l) {}
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t row) const {
    const float sum = log_sum_exp_of(team, in(row));
    if (team.rank() == 0) *y[row] = sum - x[row][index[row]];
  }
};

template <>
struct Pieces<op::CrossEntropyGradient> : RowsByTeam {
  Rows<const float> dy;
  IndexOf index;
  explicit Pieces(const OpLaunch<float>& l) : RowsByTeam(l), dy(l.in[1]), index(l) {}
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t row) const {
    const Line<const float> from = in(row);
    const float sum = log_sum_exp_of(team, from), slope = *dy[row];
    const int64_t right = index[row];
    for (int64_t k = team.rank(); k < from.n; k += team.size()) {
      const float share = slope * std::exp(from[k] - sum);
      y[row][k] = k == right ? share - slope : share;
    }
  }
};

}  // namespace espalier
