// Selections along an axis, as loops. op/kernel/selection.h defines the ops.
#pragma once
#include <algorithm>
#include <array>

#include "exec/plain/axis.h"
#include "op/kernel/selection.h"

namespace espalier {

template <>
struct Plain<op::Permute> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const Shape &x = l.kernel->in_shapes[0], &y = l.kernel->out_shape;
    const Shape order = unerase<op::PermuteAttrs>(l.kernel->attrs).order;
    // The distance in x of neighbours along each axis of the result.
    std::array<int64_t, Shape::max_rank> step{};
    for (int i = 0; i < y.rank; ++i) {
      int64_t apart = 1;
      for (int k = order[i] + 1; k < x.rank; ++k) apart *= x[k];
      step[static_cast<size_t>(i)] = apart;
    }
    for (int64_t row = 0; row < l.rows; ++row) permute(l.in[0][row], l.out[row], y, step);
  }

 private:
  template <class T>
  static void permute(const T* x, T* y, const Shape& shape, const std::array<int64_t, Shape::max_rank>& step) {
    const int64_t size = shape.size();
    std::array<int, Shape::max_rank> at{};
    int64_t from = 0;
    for (int64_t e = 0; e < size; ++e) {
      y[e] = x[from];
      for (int i = shape.rank - 1; i >= 0; --i) {  // the next position, like an odometer
        const auto axis = static_cast<size_t>(i);
        from += step[axis];
        if (++at[axis] < shape[i]) break;
        from -= step[axis] * shape[i];
        at[axis] = 0;
      }
    }
  }
};

template <>
struct Plain<op::StridedSlice> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const auto attrs = unerase<op::StridedAttrs>(l.kernel->attrs);
    const AxisOf x(l.kernel->in_shapes[0], attrs.axis), y(l.kernel->out_shape, attrs.axis);
    for (int64_t row = 0; row < l.rows; ++row)
      for (int64_t o = 0; o < y.outer; ++o)
        for (int64_t k = 0; k < y.n; ++k)
          std::copy_n(l.in[0][row] + x.at(o, attrs.begin + k * attrs.step, 0), y.inner, l.out[row] + y.at(o, k, 0));
  }
};

template <>
struct Plain<op::StridedPut> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const auto attrs = unerase<op::StridedPutAttrs>(l.kernel->attrs);
    const AxisOf x(l.kernel->in_shapes[0], attrs.axis), y(l.kernel->out_shape, attrs.axis);
    for (int64_t row = 0; row < l.rows; ++row) {
      std::fill_n(l.out[row], l.kernel->out_shape.size(), T(0));
      for (int64_t o = 0; o < x.outer; ++o)
        for (int64_t k = 0; k < x.n; ++k)
          std::copy_n(l.in[0][row] + x.at(o, k, 0), x.inner, l.out[row] + y.at(o, attrs.begin + k * attrs.step, 0));
    }
  }
};

// The position of the k-th largest element of a line; of equal elements, the first counts as larger. Makes k passes and
// needs no memory, since k is small.
template <class T>
ESPALIER_HOST_DEVICE int64_t kth_largest(const T* x, int64_t step, int64_t n, int64_t k) {
  auto above = [&](int64_t a, int64_t b) {
    return x[b * step] < x[a * step] || (!(x[a * step] < x[b * step]) && a < b);
  };
  int64_t last = -1;
  for (int64_t pass = 0; pass < k; ++pass) {
    int64_t best = -1;
    for (int64_t i = 0; i < n; ++i)
      if ((last < 0 || above(last, i)) && (best < 0 || above(i, best))) best = i;
    if (best < 0) break;  // NaN: nothing is smaller
    last = best;
  }
  return last;
}
// Calls f(i) for the positions of the k largest elements, ascending.
template <class T, class F>
ESPALIER_HOST_DEVICE void for_each_largest(const T* x, int64_t step, int64_t n, int64_t k, F f) {
  const int64_t least = kth_largest(x, step, n, k);
  const T bound = x[least * step];
  for (int64_t i = 0; i < n && k > 0; ++i)
    // The last elements are always taken: NaN is unordered, and k elements must be written.
    if (n - i <= k || bound < x[i * step] || (!(x[i * step] < bound) && i <= least)) {
      f(i);
      --k;
    }
}

template <>
struct Plain<op::KmaxPooling> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const auto attrs = unerase<op::KmaxAttrs>(l.kernel->attrs);
    const AxisOf x(l.kernel->in_shapes[0], attrs.axis), y(l.kernel->out_shape, attrs.axis);
    for (int64_t row = 0; row < l.rows; ++row)
      for (int64_t o = 0; o < x.outer; ++o)
        for (int64_t i = 0; i < x.inner; ++i) {
          const T* line = l.in[0][row] + x.at(o, 0, i);
          T* to = l.out[row] + y.at(o, 0, i);
          for_each_largest(line, x.inner, x.n, attrs.k, [&](int64_t k) {
            *to = line[k * x.inner];
            to += y.inner;
          });
        }
  }
};

template <>
struct Plain<op::KmaxGradient> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const auto attrs = unerase<op::KmaxAttrs>(l.kernel->attrs);
    const AxisOf x(l.kernel->in_shapes[0], attrs.axis), y(l.kernel->in_shapes[1], attrs.axis);
    for (int64_t row = 0; row < l.rows; ++row) {
      std::fill_n(l.out[row], l.kernel->out_shape.size(), T(0));
      for (int64_t o = 0; o < x.outer; ++o)
        for (int64_t i = 0; i < x.inner; ++i) {
          const T* dy = l.in[1][row] + y.at(o, 0, i);
          T* to = l.out[row] + x.at(o, 0, i);
          for_each_largest(l.in[0][row] + x.at(o, 0, i), x.inner, x.n, attrs.k, [&](int64_t k) {
            to[k * x.inner] = *dy;
            dy += y.inner;
          });
        }
    }
  }
};

}  // namespace espalier
