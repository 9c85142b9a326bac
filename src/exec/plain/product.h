// Products, as loops. op/kernel/product.h defines the ops.
#pragma once
#include "exec/plain/plain.h"
#include "op/kernel/product.h"

namespace espalier {

template <>
struct Plain<op::Linear> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const Shape &x = l.kernel->in_shapes[0], &w = l.kernel->in_shapes[1];
    const int64_t vectors = x.rank == 2 ? x[0] : 1, m = w[0], n = w[1];
    const T* W = l.in[1].data;
    for (int64_t row = 0; row < l.rows; ++row)
      for (int64_t v = 0; v < vectors; ++v)
        for (int64_t i = 0; i < m; ++i) {
          T sum = l.kernel->adds ? l.out[row][v * m + i] : 0;
          for (int64_t j = 0; j < n; ++j) sum += W[i * n + j] * l.in[0][row][v * n + j];
          l.out[row][v * m + i] = sum;
        }
  }
};

template <>
struct Plain<op::LinearTransposed> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const Shape &x = l.kernel->in_shapes[0], &w = l.kernel->in_shapes[1];
    const int64_t vectors = x.rank == 2 ? x[0] : 1, m = w[0], n = w[1];
    const T* W = l.in[1].data;
    for (int64_t row = 0; row < l.rows; ++row)
      for (int64_t v = 0; v < vectors; ++v)
        for (int64_t j = 0; j < n; ++j) {
          T sum = l.kernel->adds ? l.out[row][v * n + j] : 0;
          for (int64_t i = 0; i < m; ++i) sum += W[i * n + j] * l.in[0][row][v * m + i];
          l.out[row][v * n + j] = sum;
        }
  }
};

template <>
struct Plain<op::Matmul> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const auto t = unerase<op::MatmulAttrs>(l.kernel->attrs);
    const Shape &a = l.kernel->in_shapes[0], &b = l.kernel->in_shapes[1];
    const int64_t m = l.kernel->out_shape[0], n = l.kernel->out_shape[1], depth = t.transpose_a ? a[0] : a[1];
    for (int64_t row = 0; row < l.rows; ++row)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          T sum = 0;
          for (int64_t k = 0; k < depth; ++k)
            sum += l.in[0][row][t.transpose_a ? k * a[1] + i : i * a[1] + k] *
                   l.in[1][row][t.transpose_b ? j * b[1] + k : k * b[1] + j];
          l.out[row][i * n + j] = sum;
        }
  }
};

}  // namespace espalier
