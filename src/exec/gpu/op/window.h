// Windows over the last one or two axes. op/kernel/window.h defines the ops. Gradients are gathered: an element sums
// the gradients of the windows that cover it, in the order of the windows, so that one thread writes each element.
#pragma once
#include "exec/gpu/op/work_items.h"
#include "exec/plain/window.h"

namespace espalier {

// An element of [channels, height, width].
struct PixelOf {
  int64_t c, h, w;
  ESPALIER_HOST_DEVICE PixelOf(const WindowOf& v, int64_t e)
      : c(e / (v.height * v.width)), h(e / v.width % v.height), w(e % v.width) {}
};

// The places along one axis whose windows cover position x.
struct PlacesOver {
  int64_t first, last;
  ESPALIER_HOST_DEVICE PlacesOver(int64_t x, int64_t kernel, int64_t stride, int64_t padding, int64_t places) {
    const int64_t end = x + padding,
                  begin = end - kernel + 1;  // the latest and earliest start of such a window
    first = begin <= 0 ? 0 : (begin + stride - 1) / stride;
    last = end / stride < places ? end / stride : places - 1;
  }
};

// Calls f(h, w) for the places whose windows cover a pixel.
template <class F>
ESPALIER_HOST_DEVICE void for_each_place_over(const WindowOf& v, const PixelOf& p, F f) {
  const PlacesOver rows(p.h, v.kernel_h, v.stride_h, v.padding_h, v.places_h);
  const PlacesOver columns(p.w, v.kernel_w, v.stride_w, v.padding_w, v.places_w);
  for (int64_t h = rows.first; h <= rows.last; ++h)
    for (int64_t w = columns.first; w <= columns.last; ++w) f(h, w);
}

template <>
struct WorkItems<op::Unfold> : Elements<WorkItems<op::Unfold>> {
  Rows<const float> x;
  WindowOf v;
  explicit WorkItems(const OpLaunch<float>& l)
      : Elements(l), x(l.in[0]), v(unerase<op::WindowAttrs>(l.kernel->attrs), l.kernel->in_shapes[0]) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const int64_t window = v.kernel_h * v.kernel_w, place = e / (v.channels * window);
    const int64_t c = e / window % v.channels, within = e % window;
    const int64_t h = place / v.places_w * v.stride_h - v.padding_h + within / v.kernel_w;
    const int64_t w = place % v.places_w * v.stride_w - v.padding_w + within % v.kernel_w;
    return h >= 0 && h < v.height && w >= 0 && w < v.width ? x[row][(c * v.height + h) * v.width + w] : 0;
  }
};

template <>
struct WorkItems<op::Fold> : Elements<WorkItems<op::Fold>> {
  Rows<const float> x;
  WindowOf v;
  explicit WorkItems(const OpLaunch<float>& l) : WorkItems(l, unerase<op::FoldAttrs>(l.kernel->attrs)) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const PixelOf p(v, e);
    float sum = 0;
    for_each_place_over(v, p, [&](int64_t h, int64_t w) {
      const int64_t place = h * v.places_w + w;
      const int64_t line = p.h + v.padding_h - h * v.stride_h, column = p.w + v.padding_w - w * v.stride_w;
      sum += x[row][((place * v.channels + p.c) * v.kernel_h + line) * v.kernel_w + column];
    });
    return sum;
  }

 private:
  WorkItems(const OpLaunch<float>& l, const op::FoldAttrs& a)
      : Elements(l), x(l.in[0]), v(op::Fold::window(a), a.shape) {}
};

template <>
struct WorkItems<op::MaxPool> : Elements<WorkItems<op::MaxPool>> {
  Rows<const float> x;
  WindowOf v;
  explicit WorkItems(const OpLaunch<float>& l)
      : Elements(l), x(l.in[0]), v(unerase<op::WindowAttrs>(l.kernel->attrs), l.kernel->in_shapes[0]) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const int64_t places = v.places_h * v.places_w, place = e % places;
    const int64_t h = place / v.places_w * v.stride_h - v.padding_h, w = place % v.places_w * v.stride_w - v.padding_w;
    return x[row][largest_in_window(v, x[row], e / places, h, w)];
  }
};

template <>
struct WorkItems<op::MaxPoolGradient> : Elements<WorkItems<op::MaxPoolGradient>> {
  Rows<const float> x, dy;
  WindowOf v;
  explicit WorkItems(const OpLaunch<float>& l)
      : Elements(l), x(l.in[0]), dy(l.in[1]), v(unerase<op::WindowAttrs>(l.kernel->attrs), l.kernel->in_shapes[0]) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const PixelOf p(v, e);
    float sum = 0;
    for_each_place_over(v, p, [&](int64_t h, int64_t w) {
      if (largest_in_window(v, x[row], p.c, h * v.stride_h - v.padding_h, w * v.stride_w - v.padding_w) == e)
        sum += dy[row][(p.c * v.places_h + h) * v.places_w + w];
    });
    return sum;
  }
};

}  // namespace espalier
