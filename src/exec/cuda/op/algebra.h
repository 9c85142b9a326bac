// Inverse and determinant by elimination with partial pivoting, in double: a team for each matrix, which it keeps in
// memory of its own. See op/kernel/algebra.h for what each op means, and exec/plain/algebra.h for the same as loops.
#pragma once
#include <cmath>
#include <limits>

#include "exec/cuda/op/pieces.h"
#include "op/kernel/algebra.h"

namespace espalier {

// Square matrices, one per row. The scratch memory holds one, then for each step the row that was swapped in.
struct Matrices {
  int64_t rows, n;
  Rows<const float> x;
  Rows<float> y;

  explicit Matrices(const OpLaunch<float>& l) : rows(l.rows), n(l.kernel->in_shapes[0][0]), x(l.in[0]), y(l.out) {}
  int64_t count() const { return rows; }
  ESPALIER_HOST_DEVICE int64_t scratch() const { return n * n + n; }

  template <class Team>
  ESPALIER_HOST_DEVICE void load(const Team& team, int64_t row, double* a) const {
    for (int64_t e = team.rank(); e < n * n; e += team.size()) a[e] = static_cast<double>(x[row][e]);
    team.wait();
  }
  // Brings the largest of column k to the diagonal, where 0 says that nothing is left of the column.
  template <class Team>
  ESPALIER_HOST_DEVICE double pivot(const Team& team, double* a, int64_t k) const {
    double* const swaps = a + n * n;
    if (team.rank() == 0) {
      int64_t best = k;
      for (int64_t i = k + 1; i < n; ++i)
        if (std::abs(a[best * n + k]) < std::abs(a[i * n + k])) best = i;
      swaps[k] = static_cast<double>(best);
    }
    team.wait();
    const int64_t best = swap_of(a, k);
    if (best != k)
      for (int64_t j = team.rank(); j < n; j += team.size()) swap(a[k * n + j], a[best * n + j]);
    team.wait();
    return a[k * n + k];
  }
  ESPALIER_HOST_DEVICE int64_t swap_of(const double* a, int64_t k) const { return static_cast<int64_t>(a[n * n + k]); }
  ESPALIER_HOST_DEVICE static void swap(double& a, double& b) {
    const double before = a;
    a = b;
    b = before;
  }
};

// Gauss-Jordan, in place: column k of the inverse takes the room of the column that was cleared. Rows that were swapped
// are columns of the inverse to swap back.
template <>
struct Pieces<op::Inverse> : Matrices {
  using Matrices::Matrices;
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t row, double* a) const {
    load(team, row, a);
    const bool regular = invert(team, a);
    for (int64_t e = team.rank(); e < n * n; e += team.size())
      y[row][e] = regular ? static_cast<float>(a[e]) : std::numeric_limits<float>::quiet_NaN();
    team.wait();  // the next matrix takes this one's memory
  }

 private:
  template <class Team>
  ESPALIER_HOST_DEVICE bool invert(const Team& team, double* a) const {
    for (int64_t k = 0; k < n; ++k) {
      const double diagonal = pivot(team, a, k), inverse = 1 / diagonal;
      if (diagonal == 0) return false;
      team.wait();  // all have read the diagonal
      double* const pivot_row = a + k * n;
      for (int64_t j = team.rank(); j < n; j += team.size()) pivot_row[j] = (j == k ? 1 : pivot_row[j]) * inverse;
      team.wait();
      // Column k holds the factors of the others, and comes last.
      for (int64_t e = team.rank(); e < n * n; e += team.size())
        if (const int64_t i = e / n, j = e % n; i != k && j != k) a[e] -= a[i * n + k] * pivot_row[j];
      team.wait();
      for (int64_t i = team.rank(); i < n; i += team.size())
        if (i != k) a[i * n + k] = 0 - a[i * n + k] * pivot_row[k];
      team.wait();
    }
    for (int64_t i = team.rank(); i < n; i += team.size())
      for (int64_t k = n - 1; k >= 0; --k) swap(a[i * n + k], a[i * n + swap_of(a, k)]);
    team.wait();
    return true;
  }
};

// The determinant as its sign and the logarithm of its size: no product of pivots that could overflow.
struct Determinants : Matrices {
  using Matrices::Matrices;
  struct Value {
    double sign = 1, log = 0;
  };
  template <class Team>
  ESPALIER_HOST_DEVICE Value determinant(const Team& team, int64_t row, double* a) const {
    load(team, row, a);
    Value value;
    for (int64_t k = 0; k < n; ++k) {
      const double diagonal = pivot(team, a, k);
      value.log += std::log(std::abs(diagonal));
      if (diagonal == 0) {
        value.sign = 0;
        break;
      }
      if ((diagonal < 0) != (swap_of(a, k) != k)) value.sign = -value.sign;
      const int64_t left = n - k - 1;
      for (int64_t e = team.rank(); e < left * left; e += team.size()) {
        const int64_t i = k + 1 + e / left, j = k + 1 + e % left;
        a[i * n + j] -= a[i * n + k] / diagonal * a[k * n + j];
      }
      team.wait();
    }
    team.wait();  // the next matrix takes this one's memory
    return value;
  }
};

template <>
struct Pieces<op::LogAbsDet> : Determinants {
  using Determinants::Determinants;
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t row, double* a) const {
    const Value value = determinant(team, row, a);
    if (team.rank() == 0) *y[row] = static_cast<float>(value.log);
  }
};

template <>
struct Pieces<op::DetSign> : Determinants {
  using Determinants::Determinants;
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t row, double* a) const {
    const Value value = determinant(team, row, a);
    if (team.rank() == 0) *y[row] = static_cast<float>(value.sign);
  }
};

}  // namespace espalier
