// Reductions, softmax and related ops along one axis: an item is a line of elements. op/kernel/axis.h, extrema.h,
// cumulative.h and logsumexp.h define the ops.
#pragma once
#include <cmath>
#include <limits>

#include "exec/gpu/op/work_items.h"
#include "exec/plain/axis.h"
#include "op/kernel/cumulative.h"
#include "op/kernel/extrema.h"
#include "op/kernel/logsumexp.h"

namespace espalier {

// A line that a group shares: element k belongs to thread k modulo the size of the group.
template <class T>
struct Line {
  T* data;
  int64_t step, n;
  ESPALIER_HOST_DEVICE T& operator[](int64_t k) const { return data[k * step]; }
};

template <class Group, class F>
ESPALIER_HOST_DEVICE float sum_of(const Group& group, int64_t n, F term) {
  float sum = 0;
  for (int64_t k = group.rank(); k < n;) {
    float block = 0;
    for (int64_t terms = 0; terms < sum_block && k < n; ++terms, k += group.size()) block += term(k);
    sum += block;
  }
  return group.sum(sum);
}

template <class Group>
ESPALIER_HOST_DEVICE float largest_of(const Group& group, const Line<const float>& x) {
  float m = -std::numeric_limits<float>::infinity();
  for (int64_t k = group.rank(); k < x.n; k += group.size()) m = larger(m, x[k]);
  return group.largest(m);
}

// log Σ exp(x), without overflow; -inf for an empty line.
template <class Group>
ESPALIER_HOST_DEVICE float log_sum_exp_of(const Group& group, const Line<const float>& x) {
  const float m = largest_of(group, x);
  if (std::isinf(m)) return m;
  return m + std::log(sum_of(group, x.n, [&](int64_t k) { return std::exp(x[k] - m); }));
}

// All zeros if all elements are -inf.
template <class Group>
ESPALIER_HOST_DEVICE void softmax_of(const Group& group, const Line<const float>& x, const Line<float>& y) {
  const float m = largest_of(group, x);
  if (m == -std::numeric_limits<float>::infinity()) {
    for (int64_t k = group.rank(); k < x.n; k += group.size()) y[k] = 0;
    return;
  }
  const float sum = sum_of(group, x.n, [&](int64_t k) { return y[k] = std::exp(x[k] - m); });
  for (int64_t k = group.rank(); k < x.n; k += group.size()) y[k] /= sum;
}

// The lines of all rows.
struct Lines {
  int64_t rows;
  AxisOf a;
  Divisor by_lines, by_inner;  // lines per row; inner elements of the axis
  Rows<const float> x;
  Rows<float> y;

  explicit Lines(const OpLaunch<float>& l)
      : Lines(l, {l.kernel->in_shapes[0], unerase<op::AxisAttrs>(l.kernel->attrs).axis}) {}
  Lines(const OpLaunch<float>& l, const AxisOf& axis)
      : rows(l.rows), a(axis), by_lines(a.outer * a.inner), by_inner(a.inner), x(l.in[0]), y(l.out) {}
  int64_t count() const { return rows * by_lines.value(); }

  ESPALIER_HOST_DEVICE int64_t row(int64_t item) const { return item / by_lines; }
  ESPALIER_HOST_DEVICE int64_t within(int64_t item) const { return item % by_lines; }
  ESPALIER_HOST_DEVICE int64_t first(int64_t item) const {
    const int64_t line = within(item);
    return a.at(line / by_inner, 0, line % by_inner);
  }
  ESPALIER_HOST_DEVICE Line<const float> in(int64_t item) const { return {x[row(item)] + first(item), a.inner, a.n}; }
  ESPALIER_HOST_DEVICE Line<float> out(int64_t item) const { return {y[row(item)] + first(item), a.inner, a.n}; }
  ESPALIER_HOST_DEVICE float& reduced(int64_t item) const { return y[row(item)][within(item)]; }
};

// Lines are interleaved if neighbours in memory belong to different lines: unless the axis is the last, or few elements
// are inside it.
struct LinesByGroup : Lines {
  using Lines::Lines;
  int64_t width() const { return a.n; }
  bool interleaved() const { return a.inner > 4; }
};

// Each row is one line.
struct RowsByGroup : LinesByGroup {
  explicit RowsByGroup(const OpLaunch<float>& l) : LinesByGroup(l, whole(l.kernel->in_shapes[0])) {}

 private:
  static AxisOf whole(const Shape& shape) {
    AxisOf a({}, 0);
    a.n = shape.size();
    return a;
  }
};

// Ops on lines, which may be along an axis, be whole rows, or go through the rows of a list (rows.h).
template <class AllLines>
struct SumOfEach : AllLines {
  using AllLines::AllLines;
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t item) const {
    const Line<const float> line = this->in(item);
    const float sum = sum_of(group, line.n, [&](int64_t k) { return line[k]; });
    if (group.rank() == 0) this->reduced(item) = sum;
  }
};
template <class AllLines>
struct SoftmaxOfEach : AllLines {
  using AllLines::AllLines;
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t item) const {
    softmax_of(group, this->in(item), this->out(item));
  }
};
// 1 at the first maximum, 0 elsewhere.
template <class AllLines>
struct FirstLargestOfEach : AllLines {
  using AllLines::AllLines;
  ESPALIER_HOST_DEVICE void operator()(int64_t item) const {
    const Line<const float> from = this->in(item);
    const Line<float> to = this->out(item);
    int64_t best = 0;
    for (int64_t k = 1; k < from.n; ++k)
      if (from[best] < from[k]) best = k;
    for (int64_t k = 0; k < from.n; ++k) to[k] = k == best ? 1 : 0;
  }
};

template <>
struct WorkItems<op::SumAxis> : SumOfEach<LinesByGroup> {
  using SumOfEach::SumOfEach;
};

template <>
struct WorkItems<op::SumElements> : SumOfEach<RowsByGroup> {
  using SumOfEach::SumOfEach;
};

template <>
struct WorkItems<op::MaxAxis> : LinesByGroup {
  using LinesByGroup::LinesByGroup;
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t item) const {
    const float m = largest_of(group, in(item));
    if (group.rank() == 0) reduced(item) = m;
  }
};

template <>
struct WorkItems<op::LogSumExp> : LinesByGroup {
  using LinesByGroup::LinesByGroup;
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t item) const {
    const float sum = log_sum_exp_of(group, in(item));
    if (group.rank() == 0) reduced(item) = sum;
  }
};

template <>
struct WorkItems<op::Softmax> : SoftmaxOfEach<LinesByGroup> {
  using SoftmaxOfEach::SoftmaxOfEach;
};

template <>
struct WorkItems<op::LogSoftmax> : LinesByGroup {
  using LinesByGroup::LinesByGroup;
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t item) const {
    const Line<const float> from = in(item);
    const Line<float> to = out(item);
    const float sum = log_sum_exp_of(group, from);
    for (int64_t k = group.rank(); k < from.n; k += group.size()) to[k] = from[k] - sum;
  }
};

template <>
struct WorkItems<op::ArgmaxOneHot> : FirstLargestOfEach<Lines> {
  using FirstLargestOfEach::FirstLargestOfEach;
};

template <>
struct WorkItems<op::Cumsum> : Lines {
  bool reverse;
  explicit WorkItems(const OpLaunch<float>& l)
      : Lines(l, {l.kernel->in_shapes[0], unerase<op::CumsumAttrs>(l.kernel->attrs).axis}),
        reverse(unerase<op::CumsumAttrs>(l.kernel->attrs).reverse) {}
  ESPALIER_HOST_DEVICE void operator()(int64_t item) const {
    const Line<const float> from = in(item);
    const Line<float> to = out(item);
    double sum = 0;
    for (int64_t j = 0; j < from.n; ++j) {
      const int64_t k = reverse ? from.n - 1 - j : j;
      to[k] = static_cast<float>(sum += static_cast<double>(from[k]));
    }
  }
};

}  // namespace espalier
