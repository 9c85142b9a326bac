// Ops along one axis, as loops. op/kernel/axis.h defines the ops.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "exec/plain/plain.h"
#include "op/kernel/axis.h"

namespace espalier {

// A shape seen from one axis: element (o, k, i) is at (o * n + k) * inner + i.
struct AxisOf {
  int64_t outer = 1, n = 1, inner = 1;
  AxisOf(const Shape& shape, int axis) {
    for (int i = 0; i < shape.rank; ++i) (i < axis ? outer : i == axis ? n : inner) *= shape[i];
  }
  ESPALIER_HOST_DEVICE int64_t at(int64_t o, int64_t k, int64_t i) const { return (o * n + k) * inner + i; }
};

// Calls f(x, y, step, n) for each line of elements along the axis, `step` apart, of every row.
template <class T, class F>
void for_each_line(const OpLaunch<T>& l, F f) {
  const AxisOf a(l.kernel->in_shapes[0], unerase<op::AxisAttrs>(l.kernel->attrs).axis);
  if (a.n == 0) return;
  for (int64_t row = 0; row < l.rows; ++row)
    for (int64_t o = 0; o < a.outer; ++o)
      for (int64_t i = 0; i < a.inner; ++i) {
        const int64_t first = a.at(o, 0, i);
        f(l.in[0][row] + first, l.out[row] + first, a.inner, a.n);
      }
}

template <class T>
T largest(const T* x, int64_t step, int64_t n) {
  T m = x[0];
  for (int64_t k = 1; k < n; ++k) m = std::max(m, x[k * step]);
  return m;
}

// log Σ exp(x), without overflow; -inf for an empty line.
template <class T>
T log_sum_exp(const T* x, int64_t step, int64_t n) {
  const T m = n == 0 ? -std::numeric_limits<T>::infinity() : largest(x, step, n);
  if (std::isinf(m)) return m;
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) sum += static_cast<double>(std::exp(x[k * step] - m));
  return static_cast<T>(static_cast<double>(m) + std::log(sum));
}

template <>
struct Plain<op::SumAxis> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const AxisOf a(l.kernel->in_shapes[0], unerase<op::AxisAttrs>(l.kernel->attrs).axis);
    for (int64_t row = 0; row < l.rows; ++row)
      for (int64_t o = 0; o < a.outer; ++o)
        for (int64_t i = 0; i < a.inner; ++i) {
          double sum = 0;
          for (int64_t k = 0; k < a.n; ++k) sum += static_cast<double>(l.in[0][row][a.at(o, k, i)]);
          l.out[row][o * a.inner + i] = static_cast<T>(sum);
        }
  }
};

template <>
struct Plain<op::Broadcast> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const AxisOf a(l.kernel->out_shape, unerase<op::BroadcastAttrs>(l.kernel->attrs).axis);
    for (int64_t row = 0; row < l.rows; ++row)
      for (int64_t o = 0; o < a.outer; ++o)
        for (int64_t k = 0; k < a.n; ++k) std::copy_n(l.in[0][row] + o * a.inner, a.inner, l.out[row] + a.at(o, k, 0));
  }
};

template <>
struct Plain<op::SumElements> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const int64_t size = l.kernel->in_shapes[0].size();
    for (int64_t row = 0; row < l.rows; ++row) {
      double sum = 0;
      for (int64_t e = 0; e < size; ++e) sum += static_cast<double>(l.in[0][row][e]);
      *l.out[row] = static_cast<T>(sum);
    }
  }
};

template <>
struct Plain<op::Softmax> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for_each_line(l, [](const T* x, T* y, int64_t step, int64_t n) {
      const T m = largest(x, step, n);
      double sum = 0;
      if (m == -std::numeric_limits<T>::infinity()) {  // all elements are -inf
        for (int64_t k = 0; k < n; ++k) y[k * step] = 0;
        return;
      }
      for (int64_t k = 0; k < n; ++k) sum += static_cast<double>(y[k * step] = std::exp(x[k * step] - m));
      for (int64_t k = 0; k < n; ++k) y[k * step] /= static_cast<T>(sum);
    });
  }
};

template <>
struct Plain<op::LogSoftmax> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for_each_line(l, [](const T* x, T* y, int64_t step, int64_t n) {
      const T sum = log_sum_exp(x, step, n);
      for (int64_t k = 0; k < n; ++k) y[k * step] = x[k * step] - sum;
    });
  }
};

template <>
struct Plain<op::Slice> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const auto attrs = unerase<op::SliceAttrs>(l.kernel->attrs);
    const AxisOf x(l.kernel->in_shapes[0], attrs.axis), y(l.kernel->out_shape, attrs.axis);
    for (int64_t row = 0; row < l.rows; ++row)
      for (int64_t o = 0; o < y.outer; ++o)
        std::copy_n(l.in[0][row] + x.at(o, attrs.begin, 0), y.n * y.inner, l.out[row] + y.at(o, 0, 0));
  }
};

template <>
struct Plain<op::Pad> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const auto attrs = unerase<op::PadAttrs>(l.kernel->attrs);
    const AxisOf x(l.kernel->in_shapes[0], attrs.axis), y(l.kernel->out_shape, attrs.axis);
    for (int64_t row = 0; row < l.rows; ++row)
      for (int64_t o = 0; o < y.outer; ++o) {
        T* to = l.out[row] + y.at(o, 0, 0);
        to = std::fill_n(to, attrs.before * y.inner, T(0));
        to = std::copy_n(l.in[0][row] + x.at(o, 0, 0), x.n * x.inner, to);
        std::fill_n(to, attrs.after * y.inner, T(0));
      }
  }
};

template <>
struct Plain<op::Concat> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const int axis = unerase<op::AxisAttrs>(l.kernel->attrs).axis;
    const AxisOf y(l.kernel->out_shape, axis);
    int64_t begin = 0;
    for (size_t k = 0; k < l.in.size(); ++k) {
      const AxisOf x(l.kernel->in_shapes[k], axis);
      for (int64_t row = 0; row < l.rows; ++row)
        for (int64_t o = 0; o < y.outer; ++o)
          std::copy_n(l.in[k][row] + x.at(o, 0, 0), x.n * x.inner, l.out[row] + y.at(o, begin, 0));
      begin += x.n;
    }
  }
};

template <>
struct Plain<op::Reshape> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for (int64_t row = 0; row < l.rows; ++row) std::copy_n(l.in[0][row], l.kernel->out_shape.size(), l.out[row]);
  }
};

template <>
struct Plain<op::Transpose> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const int64_t m = l.kernel->out_shape[0], n = l.kernel->out_shape[1];
    for (int64_t row = 0; row < l.rows; ++row)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) l.out[row][i * n + j] = l.in[0][row][j * m + i];
  }
};

}  // namespace espalier
