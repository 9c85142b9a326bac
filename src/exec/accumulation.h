// The accumulations of a plan as executors read them: gradients of weights, and of tables by rows.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.h"

namespace espalier {

inline bool is_sparse(const Accumulate& a) { return a.kind == Accumulation::Kind::table && (*a.parameter)->sparse(); }

// The gradient of a weight is a sum of dy xᵀ over pairs of vectors, dy of m and x of n elements. A row of rank 2 holds
// several pairs.
struct VectorPairs {
  int64_t per_row = 1;
  bool uniform = true;  // the vectors of all rows have these strides, so that one product sums all pairs
  int64_t dy_stride = 0, x_stride = 0;  // between vectors

  explicit VectorPairs(const Accumulate& a) : per_row(static_cast<int64_t>(a.dy_size) / a.m) {
    const auto dy = static_cast<int64_t>(a.dy.stride), x = static_cast<int64_t>(a.x.stride);
    uniform = per_row == 1 || (dy == per_row * a.m && x == per_row * a.n);
    dy_stride = per_row == 1 ? dy : a.m;
    x_stride = per_row == 1 ? x : a.n;
  }
};

// Rows of dy that are added to rows of a table, sorted by table row; those of one table row are in plan order.
class TableContributions {
 public:
  struct Contribution {
    int32_t row;  // of the table
    uint32_t order;
    uint64_t at;  // where the row of dy begins in the arena, in elements
    bool operator<(const Contribution& o) const { return row != o.row ? row < o.row : order < o.order; }
  };

  std::span<const Contribution> of(const Accumulate& a) {
    all_.clear();
    add(a);
    return sorted();
  }
  // Collects the contributions of all accumulations of a plan to the table.
  std::span<const Contribution> of(const Plan& plan, const ParameterStorage* table) {
    all_.clear();
    for (const Accumulate& a : plan.accumulations)
      if (a.kind == Accumulation::Kind::table && a.parameter->get() == table) add(a);
    return sorted();
  }

  // Calls f(row, its contributions) for each row of the table that has any, in ascending order.
  template <class F>
  static void each_row(std::span<const Contribution> all, F f) {
    for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      while (end < all.size() && all[end].row == all[begin].row) ++end;
      f(all[begin].row, all.subspan(begin, end - begin));
    }
  }

 private:
  void add(const Accumulate& a) {
    for (uint32_t r = 0; r < a.rows; ++r)
      all_.push_back({a.index != nullptr ? a.index[r] : a.literal, static_cast<uint32_t>(all_.size()),
                      a.dy.offset + uint64_t{r} * a.dy.stride});
  }
  std::span<const Contribution> sorted() {
    std::sort(all_.begin(), all_.end());
    return all_;
  }

  std::vector<Contribution> all_;
};

}  // namespace espalier
