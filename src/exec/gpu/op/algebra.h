// Inverse and determinant by elimination with partial pivoting, in double. A group works on one matrix in its scratch
// memory. op/kernel/algebra.h defines the ops; exec/plain/algebra.h has them as loops.
#pragma once
#include <cmath>
#include <limits>

#include "exec/gpu/op/work_items.h"
#include "op/kernel/algebra.h"

namespace espalier {

// Square matrices, one per row. Scratch memory holds a matrix, then for each step the row that was swapped in.
struct SquareMatrices {
  int64_t rows, n;
  Rows<const float> x;
  Rows<float> y;

  explicit SquareMatrices(const OpLaunch<float>& l)
      : rows(l.rows), n(l.kernel->in_shapes[0][0]), x(l.in[0]), y(l.out) {}
  int64_t count() const { return rows; }
  ESPALIER_HOST_DEVICE int64_t scratch() const { return n * n + n; }

  template <class Group>
  ESPALIER_HOST_DEVICE void load(const Group& group, int64_t row, double* a) const {
    for (int64_t e = group.rank(); e < n * n; e += group.size()) a[e] = static_cast<double>(x[row][e]);
    group.wait();
  }
  // Swaps the largest element of column k to the diagonal and returns it; 0: the rest of the column is 0.
  template <class Group>
  ESPALIER_HOST_DEVICE double pivot(const Group& group, double* a, int64_t k) const {
    double* const swaps = a + n * n;
    if (group.rank() == 0) {
      int64_t best = k;
      for (int64_t i = k + 1; i < n; ++i)
        if (std::abs(a[best * n + k]) < std::abs(a[i * n + k])) best = i;
      swaps[k] = static_cast<double>(best);
    }
    group.wait();
    const int64_t best = swap_of(a, k);
    if (best != k)
      for (int64_t j = group.rank(); j < n; j += group.size()) swap(a[k * n + j], a[best * n + j]);
    group.wait();
    return a[k * n + k];
  }
  ESPALIER_HOST_DEVICE int64_t swap_of(const double* a, int64_t k) const { return static_cast<int64_t>(a[n * n + k]); }
  ESPALIER_HOST_DEVICE static void swap(double& a, double& b) {
    const double before = a;
    a = b;
    b = before;
  }
};

// Gauss-Jordan, in place: column k of the inverse replaces the column that was eliminated. Swapped rows are swapped
// back as columns of the inverse.
template <>
struct WorkItems<op::Inverse> : SquareMatrices {
  using SquareMatrices::SquareMatrices;
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t row, double* a) const {
    load(group, row, a);
    const bool regular = invert(group, a);
    for (int64_t e = group.rank(); e < n * n; e += group.size())
      y[row][e] = regular ? static_cast<float>(a[e]) : std::numeric_limits<float>::quiet_NaN();
    group.wait();  // the next matrix reuses the memory
  }

 private:
  template <class Group>
  ESPALIER_HOST_DEVICE bool invert(const Group& group, double* a) const {
    for (int64_t k = 0; k < n; ++k) {
      const double diagonal = pivot(group, a, k), inverse = 1 / diagonal;
      if (diagonal == 0) return false;
      group.wait();  // all have read the diagonal
      double* const pivot_row = a + k * n;
      for (int64_t j = group.rank(); j < n; j += group.size()) pivot_row[j] = (j == k ? 1 : pivot_row[j]) * inverse;
      group.wait();
      // Column k holds the factors for the other columns, so it comes last.
      for (int64_t e = group.rank(); e < n * n; e += group.size())
        if (const int64_t i = e / n, j = e % n; i != k && j != k) a[e] -= a[i * n + k] * pivot_row[j];
      group.wait();
      for (int64_t i = group.rank(); i < n; i += group.size())
        if (i != k) a[i * n + k] = 0 - a[i * n + k] * pivot_row[k];
      group.wait();
    }
    for (int64_t i = group.rank(); i < n; i += group.size())
      for (int64_t k = n - 1; k >= 0; --k) swap(a[i * n + k], a[i * n + swap_of(a, k)]);
    group.wait();
    return true;
  }
};

// The determinant as its sign and the logarithm of its absolute value, since the product of pivots could overflow.
struct Determinants : SquareMatrices {
  using SquareMatrices::SquareMatrices;
  struct Value {
    double sign = 1, log = 0;
  };
  template <class Group>
  ESPALIER_HOST_DEVICE Value determinant(const Group& group, int64_t row, double* a) const {
    load(group, row, a);
    Value value;
    for (int64_t k = 0; k < n; ++k) {
      const double diagonal = pivot(group, a, k);
      value.log += std::log(std::abs(diagonal));
      if (diagonal == 0) {
        value.sign = 0;
        break;
      }
      if ((diagonal < 0) != (swap_of(a, k) != k)) value.sign = -value.sign;
      const int64_t left = n - k - 1;
      for (int64_t e = group.rank(); e < left * left; e += group.size()) {
        const int64_t i = k + 1 + e / left, j = k + 1 + e % left;
        a[i * n + j] -= a[i * n + k] / diagonal * a[k * n + j];
      }
      group.wait();
    }
    group.wait();  // the next matrix reuses the memory
    return value;
  }
};

template <>
struct WorkItems<op::LogAbsDet> : Determinants {
  using Determinants::Determinants;
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t row, double* a) const {
    const Value value = determinant(group, row, a);
    if (group.rank() == 0) *y[row] = static_cast<float>(value.log);
  }
};

template <>
struct WorkItems<op::DetSign> : Determinants {
  using Determinants::Determinants;
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t row, double* a) const {
    const Value value = determinant(group, row, a);
    if (group.rank() == 0) *y[row] = static_cast<float>(value.sign);
  }
};

}  // namespace espalier
