// Extrema, running sums and logsumexp, as loops. See op/kernel/extrema.h, op/kernel/cumulative.h and
// op/kernel/logsumexp.h.
#pragma once
#include "exec/plain/axis.h"
#include "exec/plain/rows.h"
#include "op/kernel/cumulative.h"
#include "op/kernel/extrema.h"
#include "op/kernel/logsumexp.h"

namespace espalier {

// y = f(x, step, n) for each line of elements along the axis, `step` apart, in every row.
template <class T, class F>
void reduce_lines(const OpLaunch<T>& l, F f) {
  const AxisOf a(l.kernel->in_shapes[0], unerase<op::AxisAttrs>(l.kernel->attrs).axis);
  for (int64_t row = 0; row < l.rows; ++row)
    for (int64_t o = 0; o < a.outer; ++o)
      for (int64_t i = 0; i < a.inner; ++i) l.out[row][o * a.inner + i] = f(l.in[0][row] + a.at(o, 0, i), a.inner, a.n);
}

template <>
struct Plain<op::MaxAxis> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    reduce_lines(l, [](const T* x, int64_t step, int64_t n) { return largest(x, step, n); });
  }
};

template <>
struct Plain<op::LogSumExp> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    reduce_lines(l, [](const T* x, int64_t step, int64_t n) { return log_sum_exp(x, step, n); });
  }
};

template <>
struct Plain<op::ArgmaxOneHot> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for_each_line(l, [](const T* x, T* y, int64_t step, int64_t n) {
      int64_t best = 0;
      for (int64_t k = 1; k < n; ++k)
        if (x[best * step] < x[k * step]) best = k;
      for (int64_t k = 0; k < n; ++k) y[k * step] = k == best ? T(1) : T(0);
    });
  }
};

template <>
struct Plain<op::Cumsum> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const bool reverse = unerase<op::CumsumAttrs>(l.kernel->attrs).reverse;
    for_each_line(l, [reverse](const T* x, T* y, int64_t step, int64_t n) {
      double sum = 0;
      for (int64_t j = 0; j < n; ++j) {
        const int64_t k = reverse ? n - 1 - j : j;
        y[k * step] = static_cast<T>(sum += static_cast<double>(x[k * step]));
      }
    });
  }
};

// 0 without rows; cells that use it require at least one row.
template <>
struct Plain<op::LogSumExpRows> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for (int64_t call = 0; call < l.segments.calls; ++call)
      for (int64_t e = 0; e < l.kernel->out_shape.size(); ++e) {
        const int64_t begin = l.segments.begin(call), n = l.segments.end(call) - begin;
        l.out[call][e] = n == 0 ? T(0) : log_sum_exp(l.in[0][begin] + e, l.in[0].stride, n);
      }
  }
};

}  // namespace espalier
