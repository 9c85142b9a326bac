// Selections along an axis. op/kernel/selection.h defines the ops.
#pragma once
#include "exec/gpu/op/axis.h"
#include "exec/gpu/op/lines.h"
#include "exec/plain/selection.h"

namespace espalier {

template <>
struct WorkItems<op::Permute> : Elements<WorkItems<op::Permute>> {
  Rows<const float> x;
  int rank;
  struct Axis {
    Divisor size{1};   // of the result
    int64_t step = 1;  // distance of its neighbours in x
  } axes[Shape::max_rank];

  explicit WorkItems(const OpLaunch<float>& l) : Elements(l), x(l.in[0]), rank(l.kernel->out_shape.rank) {
    const Shape &from = l.kernel->in_shapes[0], order = unerase<op::PermuteAttrs>(l.kernel->attrs).order;
    for (int i = 0; i < rank; ++i) {
      axes[i].size = Divisor(l.kernel->out_shape[i]);
      for (int k = order[i] + 1; k < rank; ++k) axes[i].step *= from[k];
    }
  }
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    int64_t from = 0;
    for (int i = rank - 1; i >= 0; --i) {
      from += e % axes[i].size * axes[i].step;
      e = e / axes[i].size;
    }
    return x[row][from];
  }
};

// Every step-th element along an axis, from `begin` on.
template <class Self, class Attributes>
struct Strided : Elements<Self> {
  Rows<const float> x;
  AxisOf from;
  PlacesAlong to;
  int64_t begin, step;
  explicit Strided(const OpLaunch<float>& l) : Strided(l, unerase<Attributes>(l.kernel->attrs)) {}

 private:
  Strided(const OpLaunch<float>& l, const Attributes& a)
      : Elements<Self>(l),
        x(l.in[0]),
        from(l.kernel->in_shapes[0], a.axis),
        to(l.kernel->out_shape, a.axis),
        begin(a.begin),
        step(a.step) {}
};

template <>
struct WorkItems<op::StridedSlice> : Strided<WorkItems<op::StridedSlice>, op::StridedAttrs> {
  using Strided::Strided;
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const auto at = to[e];
    return x[row][from.at(at.o, begin + at.k * step, at.i)];
  }
};

template <>
struct WorkItems<op::StridedPut> : Strided<WorkItems<op::StridedPut>, op::StridedPutAttrs> {
  using Strided::Strided;
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const auto at = to[e];
    const int64_t beyond = at.k - begin, k = beyond / step;
    return beyond % step == 0 && k >= 0 && k < from.n ? x[row][from.at(at.o, k, at.i)] : 0;
  }
};

template <>
struct WorkItems<op::KmaxPooling> : Lines {
  int64_t k;
  explicit WorkItems(const OpLaunch<float>& l) : WorkItems(l, unerase<op::KmaxAttrs>(l.kernel->attrs)) {}
  ESPALIER_HOST_DEVICE void operator()(int64_t item) const {
    const Line<const float> from = in(item);
    const int64_t line = within(item);
    float* to = y[row(item)] + line / by_inner * k * a.inner + line % by_inner;
    for_each_largest(from.data, from.step, from.n, k, [&](int64_t at) {
      *to = from[at];
      to += a.inner;
    });
  }

 private:
  WorkItems(const OpLaunch<float>& l, const op::KmaxAttrs& attrs)
      : Lines(l, {l.kernel->in_shapes[0], attrs.axis}), k(attrs.k) {}
};

template <>
struct WorkItems<op::KmaxGradient> : Lines {
  Rows<const float> dy;
  int64_t k;
  explicit WorkItems(const OpLaunch<float>& l) : WorkItems(l, unerase<op::KmaxAttrs>(l.kernel->attrs)) {}
  ESPALIER_HOST_DEVICE void operator()(int64_t item) const {
    const Line<const float> from = in(item);
    const Line<float> to = out(item);
    const int64_t line = within(item);
    const float* slope = dy[row(item)] + line / by_inner * k * a.inner + line % by_inner;
    for (int64_t at = 0; at < to.n; ++at) to[at] = 0;
    for_each_largest(from.data, from.step, from.n, k, [&](int64_t at) {
      to[at] = *slope;
      slope += a.inner;
    });
  }

 private:
  WorkItems(const OpLaunch<float>& l, const op::KmaxAttrs& attrs)
      : Lines(l, {l.kernel->in_shapes[0], attrs.axis}), dy(l.in[1]), k(attrs.k) {}
};

}  // namespace espalier
