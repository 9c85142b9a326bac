// Ops that read an integer of the call. op/kernel/indexed.h defines them.
#pragma once
#include "exec/gpu/op/axis.h"
#include "exec/gpu/op/lines.h"
#include "op/kernel/indexed.h"

namespace espalier {

template <>
struct WorkItems<op::InputRow> : Elements<WorkItems<op::InputRow>> {
  const float* data;
  IndexOf index;
  explicit WorkItems(const OpLaunch<float>& l) : Elements(l), data(l.data), index(l) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const { return data[index[row] + e]; }
};

template <>
struct WorkItems<op::Lookup> : Elements<WorkItems<op::Lookup>> {
  const float* table;
  IndexOf index;
  explicit WorkItems(const OpLaunch<float>& l) : Elements(l), table(l.in[0].data), index(l) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const { return table[index[row] * size.value() + e]; }
};

template <>
struct WorkItems<op::OneHot> : Elements<WorkItems<op::OneHot>> {
  IndexOf index;
  explicit WorkItems(const OpLaunch<float>& l) : Elements(l), index(l) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const { return e == index[row] ? 1 : 0; }
};

template <>
struct WorkItems<op::Put> : Elements<WorkItems<op::Put>> {
  Rows<const float> x;
  PlacesAlong a;
  IndexOf index;
  explicit WorkItems(const OpLaunch<float>& l)
      : Elements(l), x(l.in[0]), a(l.kernel->out_shape, unerase<op::PutAttrs>(l.kernel->attrs).axis), index(l) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const auto at = a[e];
    return at.k == index[row] ? x[row][at.o * a.inner + at.i] : 0;
  }
};

template <>
struct WorkItems<op::Pick> : Elements<WorkItems<op::Pick>> {
  Rows<const float> x;
  PlacesAlong a;
  IndexOf index;
  explicit WorkItems(const OpLaunch<float>& l)
      : Elements(l), x(l.in[0]), a(l.kernel->in_shapes[0], unerase<op::AxisAttrs>(l.kernel->attrs).axis), index(l) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    return x[row][a.at(e / a.by_inner, index[row], e % a.by_inner)];
  }
};

template <>
struct WorkItems<op::CrossEntropy> : RowsByGroup {
  IndexOf index;
  explicit WorkItems(const OpLaunch<float>& l) : RowsByGroup(l), index(l) {}
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t row) const {
    const float sum = log_sum_exp_of(group, in(row));
    if (group.rank() == 0) *y[row] = sum - x[row][index[row]];
  }
};

template <>
struct WorkItems<op::CrossEntropyGradient> : RowsByGroup {
  Rows<const float> dy;
  IndexOf index;
  explicit WorkItems(const OpLaunch<float>& l) : RowsByGroup(l), dy(l.in[1]), index(l) {}
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t row) const {
    const Line<const float> from = in(row);
    const float sum = log_sum_exp_of(group, from), slope = *dy[row];
    const int64_t right = index[row];
    for (int64_t k = group.rank(); k < from.n; k += group.size()) {
      const float share = slope * std::exp(from[k] - sum);
      y[row][k] = k == right ? share - slope : share;
    }
  }
};

}  // namespace espalier
