// Sparsemax and constrained softmax, as loops. op/kernel/sparsemax.h defines the ops. Both find the set of bounded
// elements by enlarging it until nothing changes: exact, without sorting, in few iterations.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "exec/plain/axis.h"
#include "op/kernel/sparsemax.h"

namespace espalier {

template <>
struct Plain<op::Sparsemax> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    for_each_line(l, [](const T* x, T* y, int64_t step, int64_t n) {
      const T m = largest(x, step, n);
      const T bound = threshold(x, step, n, m);
      for (int64_t k = 0; k < n; ++k) y[k * step] = std::max(x[k * step] - m - bound, T(0));
    });
  }

 private:
  // The threshold that is subtracted from every x - m, so that the positive differences sum to 1. It only grows, so an
  // element below it stays below.
  template <class T>
  static T threshold(const T* x, int64_t step, int64_t n, T m) {
    T bound = -1;  // the threshold if only the largest element were positive
    for (int64_t before = n + 1;;) {
      int64_t support = 0;
      double sum = 0;
      for (int64_t k = 0; k < n; ++k)
        if (const T v = x[k * step] - m; v > bound) {
          ++support;
          sum += static_cast<double>(v);
        }
      if (support == 0 || support >= before) return bound;
      bound = std::max(bound, static_cast<T>((sum - 1) / static_cast<double>(support)));
      before = support;
    }
  }
};

template <>
struct Plain<op::ConstrainedSoftmax> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const int64_t n = l.kernel->out_shape.size();
    for (int64_t row = 0; row < l.rows; ++row) {
      const T *x = l.in[0][row], *u = l.in[1][row];
      const Free<T> free = free_elements(x, u, n);
      for (int64_t k = 0; k < n; ++k) l.out[row][k] = free.holds(x[k], u[k]) ? std::max(u[k], T(0)) : free.share(x[k]);
    }
  }

 private:
  // The scale of the free elements: they are their softmax times (1 - the sum of the bounded elements). Exponents are
  // relative to the largest free element, which may be tiny compared with a bounded one.
  template <class T>
  struct Free {
    T factor = 0, largest = 0;
    T share(T x) const { return factor * std::exp(x - largest); }
    bool holds(T x, T u) const { return share(x) > std::max(u, T(0)); }
  };
  // The rest of 1 is shared among fewer and fewer elements, so shares only grow, and bounded elements stay bounded.
  template <class T>
  static Free<T> free_elements(const T* x, const T* u, int64_t n) {
    Free<T> free;
    for (int64_t before = -1;;) {
      int64_t held = 0;
      T m = -std::numeric_limits<T>::infinity();
      double left = 1, sum = 0;
      for (int64_t k = 0; k < n; ++k)
        if (free.holds(x[k], u[k])) {
          ++held;
          left -= static_cast<double>(std::max(u[k], T(0)));
        } else {
          m = std::max(m, x[k]);
        }
      if (held == n || held == before || left <= 0) return free;
      for (int64_t k = 0; k < n; ++k)
        if (!free.holds(x[k], u[k])) sum += static_cast<double>(std::exp(x[k] - m));
      free = {static_cast<T>(left / sum), m};
      before = held;
    }
  }
};

}  // namespace espalier
