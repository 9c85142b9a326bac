// Windows over the last one or two axes, as loops. op/kernel/window.h defines the ops.
#pragma once
#include <algorithm>

#include "exec/plain/plain.h"
#include "op/kernel/window.h"

namespace espalier {

// A window over [channels, height, width]; one over [channels, length] has a height of 1.
struct WindowOf {
  int64_t channels, height, width;
  int64_t kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w;
  int64_t places_h, places_w;

  WindowOf(const op::WindowAttrs& a, const Shape& x) {
    const Shape places = op::window_places("window", a, x);
    const bool flat = a.kernel.rank == 1;
    const int last = flat ? 0 : 1;
    channels = x[0];
    height = flat ? 1 : x[1];
    width = x[last + 1];
    kernel_h = flat ? 1 : a.kernel[0];
    kernel_w = a.kernel[last];
    stride_h = flat ? 1 : a.stride[0];
    stride_w = a.stride[last];
    padding_h = flat ? 0 : a.padding[0];
    padding_w = a.padding[last];
    places_h = flat ? 1 : places[0];
    places_w = places[last];
  }

  // Calls f(place, y, x) for each place of the window, which then begins at (y, x), possibly in the padding.
  template <class F>
  void for_each_place(F f) const {
    for (int64_t h = 0; h < places_h; ++h)
      for (int64_t w = 0; w < places_w; ++w) f(h * places_w + w, h * stride_h - padding_h, w * stride_w - padding_w);
  }
};

template <>
struct Plain<op::Unfold> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const WindowOf v(unerase<op::WindowAttrs>(l.kernel->attrs), l.kernel->in_shapes[0]);
    for (int64_t row = 0; row < l.rows; ++row) {
      T* to = l.out[row];
      v.for_each_place([&](int64_t, int64_t y, int64_t x) {
        // The part of each line of the window within the edges.
        const int64_t first = std::clamp<int64_t>(-x, 0, v.kernel_w),
                      last = std::clamp<int64_t>(v.width - x, first, v.kernel_w);
        for (int64_t c = 0; c < v.channels; ++c)
          for (int64_t k = y; k < y + v.kernel_h; ++k, to += v.kernel_w) {
            if (k < 0 || k >= v.height) {
              std::fill_n(to, v.kernel_w, T(0));
              continue;
            }
            std::fill_n(to, first, T(0));
            std::copy_n(l.in[0][row] + (c * v.height + k) * v.width + x + first, last - first, to + first);
            std::fill_n(to + last, v.kernel_w - last, T(0));
          }
      });
    }
  }
};

template <>
struct Plain<op::Fold> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const auto attrs = unerase<op::FoldAttrs>(l.kernel->attrs);
    const WindowOf v(op::Fold::window(attrs), attrs.shape);
    for (int64_t row = 0; row < l.rows; ++row) {
      std::fill_n(l.out[row], attrs.shape.size(), T(0));
      const T* from = l.in[0][row];
      v.for_each_place([&](int64_t, int64_t y, int64_t x) {
        const int64_t first = std::clamp<int64_t>(-x, 0, v.kernel_w),
                      last = std::clamp<int64_t>(v.width - x, first, v.kernel_w);
        for (int64_t c = 0; c < v.channels; ++c)
          for (int64_t k = y; k < y + v.kernel_h; ++k, from += v.kernel_w) {
            if (k < 0 || k >= v.height) continue;
            T* to = l.out[row] + (c * v.height + k) * v.width + x;
            for (int64_t j = first; j < last; ++j) to[j] += from[j];
          }
      });
    }
  }
};

// The position of the first maximum of channel c in the window that begins at (y, x).
template <class T>
ESPALIER_HOST_DEVICE int64_t largest_in_window(const WindowOf& v, const T* row, int64_t c, int64_t y, int64_t x) {
  int64_t best = -1;
  for (int64_t h = std::max<int64_t>(y, 0); h < std::min(y + v.kernel_h, v.height); ++h)
    for (int64_t w = std::max<int64_t>(x, 0); w < std::min(x + v.kernel_w, v.width); ++w) {
      const int64_t at = (c * v.height + h) * v.width + w;
      if (best < 0 || row[best] < row[at]) best = at;
    }
  return best;
}

template <>
struct Plain<op::MaxPool> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const WindowOf v(unerase<op::WindowAttrs>(l.kernel->attrs), l.kernel->in_shapes[0]);
    for (int64_t row = 0; row < l.rows; ++row)
      for (int64_t c = 0; c < v.channels; ++c)
        v.for_each_place([&](int64_t place, int64_t y, int64_t x) {
          l.out[row][c * v.places_h * v.places_w + place] = l.in[0][row][largest_in_window(v, l.in[0][row], c, y, x)];
        });
  }
};

template <>
struct Plain<op::MaxPoolGradient> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const WindowOf v(unerase<op::WindowAttrs>(l.kernel->attrs), l.kernel->in_shapes[0]);
    for (int64_t row = 0; row < l.rows; ++row) {
      std::fill_n(l.out[row], l.kernel->out_shape.size(), T(0));
      for (int64_t c = 0; c < v.channels; ++c)
        v.for_each_place([&](int64_t place, int64_t y, int64_t x) {
          l.out[row][largest_in_window(v, l.in[0][row], c, y, x)] += l.in[1][row][c * v.places_h * v.places_w + place];
        });
    }
  }
};

}  // namespace espalier
