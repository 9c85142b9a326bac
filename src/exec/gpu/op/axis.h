// Copies along one axis, and changes of shape. op/kernel/axis.h defines the ops.
#pragma once
#include "exec/gpu/op/work_items.h"
#include "exec/plain/axis.h"

namespace espalier {

// The position of element e on an axis: the inverse of AxisOf::at.
struct PlacesAlong : AxisOf {
  struct Place {
    int64_t o, k, i;
  };
  Divisor by_inner, by_n;
  PlacesAlong(const Shape& shape, int axis) : AxisOf(shape, axis), by_inner(inner), by_n(n) {}
  ESPALIER_HOST_DEVICE Place operator[](int64_t e) const {
    const int64_t line = e / by_inner;
    return {line / by_n, line % by_n, e % by_inner};
  }
};

template <>
struct WorkItems<op::Broadcast> : Elements<WorkItems<op::Broadcast>> {
  Rows<const float> x;
  PlacesAlong a;
  explicit WorkItems(const OpLaunch<float>& l)
      : Elements(l), x(l.in[0]), a(l.kernel->out_shape, unerase<op::BroadcastAttrs>(l.kernel->attrs).axis) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const auto at = a[e];
    return x[row][at.o * a.inner + at.i];
  }
};

template <>
struct WorkItems<op::Slice> : Elements<WorkItems<op::Slice>> {
  Rows<const float> x;
  AxisOf from;
  PlacesAlong to;
  int64_t begin;
  explicit WorkItems(const OpLaunch<float>& l) : WorkItems(l, unerase<op::SliceAttrs>(l.kernel->attrs)) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const auto at = to[e];
    return x[row][from.at(at.o, begin + at.k, at.i)];
  }

 private:
  WorkItems(const OpLaunch<float>& l, const op::SliceAttrs& a)
      : Elements(l),
        x(l.in[0]),
        from(l.kernel->in_shapes[0], a.axis),
        to(l.kernel->out_shape, a.axis),
        begin(a.begin) {}
};

template <>
struct WorkItems<op::Pad> : Elements<WorkItems<op::Pad>> {
  Rows<const float> x;
  AxisOf from;
  PlacesAlong to;
  int64_t before;
  explicit WorkItems(const OpLaunch<float>& l) : WorkItems(l, unerase<op::PadAttrs>(l.kernel->attrs)) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const auto at = to[e];
    const int64_t k = at.k - before;
    return k >= 0 && k < from.n ? x[row][from.at(at.o, k, at.i)] : 0;
  }

 private:
  WorkItems(const OpLaunch<float>& l, const op::PadAttrs& a)
      : Elements(l),
        x(l.in[0]),
        from(l.kernel->in_shapes[0], a.axis),
        to(l.kernel->out_shape, a.axis),
        before(a.before) {}
};

// Copies the elements of input k to their positions in the result.
template <>
struct WorkItems<op::Concat> {
  int64_t rows;
  Divisor size;
  Rows<const float> x;
  Rows<float> y;
  PlacesAlong from;
  AxisOf to;
  int64_t begin = 0;

  WorkItems(const OpLaunch<float>& l, size_t k) : WorkItems(l, k, unerase<op::AxisAttrs>(l.kernel->attrs).axis) {}
  int64_t count() const { return rows * size.value(); }
  ESPALIER_HOST_DEVICE void operator()(int64_t item) const {
    const int64_t row = item / size, e = item % size;
    const auto at = from[e];
    y[row][to.at(at.o, begin + at.k, at.i)] = x[row][e];
  }

 private:
  WorkItems(const OpLaunch<float>& l, size_t k, int axis)
      : rows(l.rows),
        size(l.kernel->in_shapes[k].size()),
        x(l.in[k]),
        y(l.out),
        from(l.kernel->in_shapes[k], axis),
        to(l.kernel->out_shape, axis) {
    for (size_t before = 0; before < k; ++before) begin += l.kernel->in_shapes[before][axis];
  }
};

template <>
struct WorkItems<op::Reshape> : Elements<WorkItems<op::Reshape>> {
  Rows<const float> x;
  explicit WorkItems(const OpLaunch<float>& l) : Elements(l), x(l.in[0]) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const { return x[row][e]; }
};

template <>
struct WorkItems<op::Transpose> : Elements<WorkItems<op::Transpose>> {
  Rows<const float> x;
  int64_t m;
  Divisor n;
  explicit WorkItems(const OpLaunch<float>& l)
      : Elements(l), x(l.in[0]), m(l.kernel->out_shape[0]), n(l.kernel->out_shape[1]) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const { return x[row][e % n * m + e / n]; }
};

}  // namespace espalier
