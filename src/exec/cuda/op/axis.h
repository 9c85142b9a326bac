// Copies along one axis, and changes of shape. See op/kernel/axis.h for what each op means.
#pragma once
#include "exec/cuda/op/pieces.h"
#include "exec/plain/axis.h"

namespace espalier {

// An axis that tells where element e lies: the reverse of AxisOf::at.
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
struct Pieces<op::Broadcast> : Elements<Pieces<op::Broadcast>> {
  Rows<const float> x;
  PlacesAlong a;
  explicit Pieces(const OpLaunch<float>& l)
      : Elements(l), x(l.in[0]), a(l.kernel->out_shape, unerase<op::BroadcastAttrs>(l.kernel->attrs).axis) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const auto at = a[e];
    return x[row][at.o * a.inner + at.i];
  }
};

template <>
struct Pieces<op::Slice> : Elements<Pieces<op::Slice>> {
  Rows<const float> x;
  AxisOf from;
  PlacesAlong to;
  int64_t begin;
  explicit Pieces(const OpLaunch<float>& l) : Pieces(l, unerase<op::SliceAttrs>(l.kernel->attrs)) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const auto at = to[e];
    return x[row][from.at(at.o, begin + at.k, at.i)];
  }

 private:
  Pieces(const OpLaunch<float>& l, const op::SliceAttrs& a)
      : Elements(l),
        x(l.in[0]),
        from(l.kernel->in_shapes[0], a.axis),
        to(l.kernel->out_shape, a.axis),
        begin(a.begin) {}
};

template <>
struct Pieces<op::Pad> : Elements<Pieces<op::Pad>> {
  Rows<const float> x;
  AxisOf from;
  PlacesAlong to;
  int64_t before;
  explicit Pieces(const OpLaunch<float>& l) : Pieces(l, unerase<op::PadAttrs>(l.kernel->attrs)) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const auto at = to[e];
    const int64_t k = at.k - before;
    return k >= 0 && k < from.n ? x[row][from.at(at.o, k, at.i)] : 0;
  }

 private:
  Pieces(const OpLaunch<float>& l, const op::PadAttrs& a)
      : Elements(l),
        x(l.in[0]),
        from(l.kernel->in_shapes[0], a.axis),
        to(l.kernel->out_shape, a.axis),
        before(a.before) {}
};

// The elements of input k, each to its place.
template <>
struct Pieces<op::Concat> {
  int64_t rows;
  Divisor size;
  Rows<const float> x;
  Rows<float> y;
  PlacesAlong from;
  AxisOf to;
  int64_t begin = 0;

  Pieces(const OpLaunch<float>& l, size_t k) : Pieces(l, k, unerase<op::AxisAttrs>(l.kernel->attrs).axis) {}
  int64_t count() const { return rows * size.value(); }
  ESPALIER_HOST_DEVICE void operator()(int64_t piece) const {
    const int64_t row = piece / size, e = piece % size;
    const auto at = from[e];
    y[row][to.at(at.o, begin + at.k, at.i)] = x[row][e];
  }

 private:
  Pieces(const OpLaunch<float>& l, size_t k, int axis)
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
struct Pieces<op::Reshape> : Elements<Pieces<op::Reshape>> {
  Rows<const float> x;
  explicit Pieces(const OpLaunch<float>& l) : Elements(l), x(l.in[0]) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const { return x[row][e]; }
};

template <>
struct Pieces<op::Transpose> : Elements<Pieces<op::Transpose>> {
  Rows<const float> x;
  int64_t m;
  Divisor n;
  explicit Pieces(const OpLaunch<float>& l)
      : Elements(l), x(l.in[0]), m(l.kernel->out_shape[0]), n(l.kernel->out_shape[1]) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const { return x[row][e % n * m + e / n]; }
};

}  // namespace espalier
