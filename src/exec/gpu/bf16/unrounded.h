// Tracks the factors of bf16 products whose rounded copies are out of date, step by step. Gathers and fused kernels
// round their results themselves; rows written by other kernels are collected here. Needs no device.
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

#include "exec/gpu/bf16/factors.h"
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
  explicit Unrounded(int multiple = bf16_multiple) : multiple_(multiple) {}  // tests pass another multiple

  void begin(const Plan& plan);
  const Factors& factors_of(const Program& program) const { return factors_.at(&program); }
  const std::unordered_map<const Program*, Factors>& factors() const { return factors_; }

  // Notes inputs that a step reads in place. Call before the kernels of the step.
  void read_in_place(const Plan& plan, const PlanStep& step, const Layout& layout);
  // Notes the result of a kernel that is not fused. Call after the kernel.
  void wrote(const Plan& plan, const PlanStep& step, const RowsOf& out, const Layout& layout);

  std::span<const RowsAt> rows() const { return rows_; }
  void clear() { rows_.clear(); }  // after rounding them

 private:
  void note(const Plan& plan, const PlanStep& step, size_t buffer, const Layout& layout);

  int multiple_;
  std::unordered_map<const Program*, Factors> factors_;  // of the plan
  std::vector<RowsAt> rows_;
};

}  // namespace espalier
