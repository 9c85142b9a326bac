// Ops that read an integer of the call, as loops. op/kernel/indexed.h defines the ops.
#pragma once
#include <algorithm>

#include "exec/plain/axis.h"
#include "op/kernel/indexed.h"

namespace espalier {

template <>
struct Plain<op::InputRow> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for (int64_t row = 0; row < l.rows; ++row)
      std::copy_n(l.data + l.index[row], l.kernel->out_shape.size(), l.out[row]);
  }
};

template <>
struct Plain<op::Lookup> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const int64_t size = l.kernel->out_shape.size();
    for (int64_t row = 0; row < l.rows; ++row) std::copy_n(l.in[0].data + l.index[row] * size, size, l.out[row]);
  }
};

template <>
struct Plain<op::OneHot> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for (int64_t row = 0; row < l.rows; ++row) {
      std::fill_n(l.out[row], l.kernel->out_shape.size(), T(0));
      l.out[row][l.index[row]] = 1;
    }
  }
};

template <>
struct Plain<op::Put> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const AxisOf y(l.kernel->out_shape, unerase<op::PutAttrs>(l.kernel->attrs).axis);
    for (int64_t row = 0; row < l.rows; ++row) {
      std::fill_n(l.out[row], l.kernel->out_shape.size(), T(0));
      for (int64_t o = 0; o < y.outer; ++o)
        std::copy_n(l.in[0][row] + o * y.inner, y.inner, l.out[row] + y.at(o, l.index[row], 0));
    }
  }
};

template <>
struct Plain<op::Pick> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const AxisOf x(l.kernel->in_shapes[0], unerase<op::AxisAttrs>(l.kernel->attrs).axis);
    for (int64_t row = 0; row < l.rows; ++row)
      for (int64_t o = 0; o < x.outer; ++o)
        std::copy_n(l.in[0][row] + x.at(o, l.index[row], 0), x.inner, l.out[row] + o * x.inner);
  }
};

template <>
struct Plain<op::CrossEntropy> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for (int64_t row = 0; row < l.rows; ++row) {
      const T* x = l.in[0][row];
      *l.out[row] = log_sum_exp(x, 1, l.kernel->in_shapes[0].size()) - x[l.index[row]];
    }
  }
};

template <>
struct Plain<op::CrossEntropyGradient> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const int64_t n = l.kernel->in_shapes[0].size();
    for (int64_t row = 0; row < l.rows; ++row) {
      const T *x = l.in[0][row], dy = *l.in[1][row];
      const T sum = log_sum_exp(x, 1, n);
      for (int64_t i = 0; i < n; ++i) l.out[row][i] = dy * std::exp(x[i] - sum);
      l.out[row][l.index[row]] -= dy;
    }
  }
};

}  // namespace espalier
