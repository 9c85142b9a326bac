// Inverse and determinant by elimination with partial pivoting, in double. op/kernel/algebra.h
// defines the ops.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "exec/plain/plain.h"
#include "op/kernel/algebra.h"

namespace espalier {

// A matrix during elimination. The memory is per thread.
struct Elimination {
  int64_t n;
  std::vector<double>& a;
  std::vector<int64_t>& swaps;  // step k swapped row k with this one

  explicit Elimination(int64_t size) : n(size), a(numbers()), swaps(rows()) {
    if (a.size() < static_cast<size_t>(n * n)) a.resize(static_cast<size_t>(n * n));
    if (swaps.size() < static_cast<size_t>(n)) swaps.resize(static_cast<size_t>(n));
  }
  double* row(int64_t i) { return a.data() + i * n; }

  // Swaps the largest element of column k to the diagonal. False if the rest of the column is 0.
  bool pivot(int64_t k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::abs(row(best)[k]) < std::abs(row(i)[k])) best = i;
    swaps[static_cast<size_t>(k)] = best;
    if (best != k) std::swap_ranges(row(k), row(k) + n, row(best));
    return row(k)[k] != 0;
  }

 private:
  static std::vector<double>& numbers() {
    static thread_local std::vector<double> kept;
    return kept;
  }
  static std::vector<int64_t>& rows() {
    static thread_local std::vector<int64_t> kept;
    return kept;
  }
};

template <>
struct Plain<op::Inverse> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    const int64_t n = l.kernel->in_shapes[0][0];
    Elimination e(n);
    for (int64_t r = 0; r < l.rows; ++r) {
      std::copy_n(l.in[0][r], n * n, e.a.begin());
      if (invert(e))
        std::transform(e.a.begin(), e.a.begin() + n * n, l.out[r], [](double v) { return static_cast<T>(v); });
      else
        std::fill_n(l.out[r], n * n, std::numeric_limits<T>::quiet_NaN());
    }
  }

 private:
  // Gauss-Jordan, in place: column k of the inverse replaces the column that was eliminated. Swapped rows are swapped
  // back as columns of the inverse.
  static bool invert(Elimination& e) {
    for (int64_t k = 0; k < e.n; ++k) {
      if (!e.pivot(k)) return false;
      double* const pivot_row = e.row(k);
      const double inverse = 1 / std::exchange(pivot_row[k], 1.0);
      for (int64_t j = 0; j < e.n; ++j) pivot_row[j] *= inverse;
      for (int64_t i = 0; i < e.n; ++i) {
        if (i == k) continue;
        const double factor = std::exchange(e.row(i)[k], 0.0);
        for (int64_t j = 0; j < e.n; ++j) e.row(i)[j] -= factor * pivot_row[j];
      }
    }
    for (int64_t k = e.n - 1; k >= 0; --k)
      if (const int64_t other = e.swaps[static_cast<size_t>(k)]; other != k)
        for (int64_t i = 0; i < e.n; ++i) std::swap(e.row(i)[k], e.row(i)[other]);
    return true;
  }
};

// The determinant as its sign and the logarithm of its absolute value, since the product of pivots could overflow.
struct Determinant {
  double sign = 1, log = 0;

  template <class T>
  Determinant(Elimination& e, const T* x) {
    std::copy_n(x, e.n * e.n, e.a.begin());
    for (int64_t k = 0; k < e.n; ++k) {
      const bool regular = e.pivot(k);
      const double pivot = e.row(k)[k];
      log += std::log(std::abs(pivot));
      if (!regular) {
        sign = 0;
        return;
      }
      if ((pivot < 0) != (e.swaps[static_cast<size_t>(k)] != k)) sign = -sign;
      for (int64_t i = k + 1; i < e.n; ++i) {
        const double factor = e.row(i)[k] / pivot;
        for (int64_t j = k + 1; j < e.n; ++j) e.row(i)[j] -= factor * e.row(k)[j];
      }
    }
  }
};

template <>
struct Plain<op::LogAbsDet> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    Elimination e(l.kernel->in_shapes[0][0]);
    for (int64_t r = 0; r < l.rows; ++r) *l.out[r] = static_cast<T>(Determinant(e, l.in[0][r]).log);
  }
};

template <>
struct Plain<op::DetSign> {
  template <class T>
  static void run(const OpLaunch<T>& l) {
    Elimination e(l.kernel->in_shapes[0][0]);
    for (int64_t r = 0; r < l.rows; ++r) *l.out[r] = static_cast<T>(Determinant(e, l.in[0][r]).sign);
  }
};

}  // namespace espalier
