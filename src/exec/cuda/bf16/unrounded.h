// Follows the steps of a plan and knows which rows that products read in bf16 are yet to be rounded: gathers and runs
// round what they write, all else is noted here. Knows no device.
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

#include "exec/cuda/bf16/factors.h"
#include "plan/plan.h"

namespace espalier {

// Rows of the arena, in elements.
struct RowsAt {
  uint64_t offset = 0;
  uint64_t stride = 0;
  uint32_t rows = 0, size = 0;
};

class Unrounded {
 public:
  explicit Unrounded(int multiple = bf16_multiple) : multiple_(multiple) {}  // another one: for tests

  void begin(const Plan& plan);
  const Factors& factors_of(const Program& program) const { return factors_.at(&program); }
  const std::unordered_map<const Program*, Factors>& factors() const { return factors_; }

  // Inputs that a step reads in place, where somebody else has made them: called before its kernels.
  void read_in_place(const Plan& plan, const PlanStep& step, const Layout& layout);
  // The result of a kernel that is no run: called behind it.
  void wrote(const Plan& plan, const PlanStep& step, const RowsOf& out, const Layout& layout);

  std::span<const RowsAt> rows() const { return rows_; }
  void clear() { rows_.clear(); }  // they have been rounded

 private:
  void note(const Plan& plan, const PlanStep& step, size_t buffer, const Layout& layout);

  int multiple_;
  std::unordered_map<const Program*, Factors> factors_;  // of the plan
  std::vector<RowsAt> rows_;
};

}  // namespace espalier
