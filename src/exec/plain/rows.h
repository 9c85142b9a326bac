// Ops between a call and the rows of its list, as loops. op/kernel/rows.h defines the ops.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "exec/plain/plain.h"
#include "op/kernel/rows.h"

namespace espalier {

template <>
struct Plain<op::Spread> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for (int64_t call = 0; call < l.segments.calls; ++call)
      for (int64_t row = l.segments.begin(call); row < l.segments.end(call); ++row)
        std::copy_n(l.in[0][call], l.kernel->out_shape.size(), l.out[row]);
  }
};

template <>
struct Plain<op::SumRows> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for (int64_t call = 0; call < l.segments.calls; ++call)
      for (int64_t e = 0; e < l.kernel->out_shape.size(); ++e) {
        double sum = 0;
        for (int64_t row = l.segments.begin(call); row < l.segments.end(call); ++row)
          sum += static_cast<double>(l.in[0][row][e]);
        l.out[call][e] = static_cast<T>(sum);
      }
  }
};

template <>
struct Plain<op::InverseCount> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for (int64_t call = 0; call < l.segments.calls; ++call)
      *l.out[call] = T(1) / static_cast<T>(std::max<int64_t>(l.segments.end(call) - l.segments.begin(call), 1));
  }
};

// The first row of the call with the maximum of element e. The call must have rows.
template <class T>
int64_t first_largest(const OpLaunch<T>& l, int64_t call, int64_t e) {
  int64_t best = l.segments.begin(call);
  for (int64_t row = best + 1; row < l.segments.end(call); ++row)
    if (l.in[0][best][e] < l.in[0][row][e]) best = row;
  return best;
}

template <>
struct Plain<op::FirstMax> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for (int64_t call = 0; call < l.segments.calls; ++call)
      for (int64_t e = 0; e < l.kernel->out_shape.size(); ++e) {
        if (l.segments.begin(call) == l.segments.end(call)) continue;
        const int64_t best = first_largest(l, call, e);
        for (int64_t row = l.segments.begin(call); row < l.segments.end(call); ++row)
          l.out[row][e] = row == best ? T(1) : T(0);
      }
  }
};

// 0 without rows; cells that use it require at least one row.
template <>
struct Plain<op::MaxRows> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for (int64_t call = 0; call < l.segments.calls; ++call)
      for (int64_t e = 0; e < l.kernel->out_shape.size(); ++e)
        l.out[call][e] = l.segments.begin(call) == l.segments.end(call) ? T(0) : l.in[0][first_largest(l, call, e)][e];
  }
};

template <>
struct Plain<op::SoftmaxRows> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for (int64_t call = 0; call < l.segments.calls; ++call) {
      const int64_t begin = l.segments.begin(call), end = l.segments.end(call);
      if (begin == end) continue;
      for (int64_t e = 0; e < l.kernel->out_shape.size(); ++e) {
        const T m = l.in[0][first_largest(l, call, e)][e];
        if (m == -std::numeric_limits<T>::infinity()) {  // all elements are -inf
          for (int64_t row = begin; row < end; ++row) l.out[row][e] = 0;
          continue;
        }
        double sum = 0;
        for (int64_t row = begin; row < end; ++row)
          sum += static_cast<double>(l.out[row][e] = std::exp(l.in[0][row][e] - m));
        for (int64_t row = begin; row < end; ++row) l.out[row][e] /= static_cast<T>(sum);
      }
    }
  }
};

}  // namespace espalier
