// Counts launches and computes nothing: for tests of schedules and plans, and to measure host time.
#pragma once
#include <algorithm>

#include "exec/accumulation.h"
#include "exec/executor.h"
#include "exec/plan_view.h"

namespace espalier {

class NullExecutor final : public Executor {
 public:
  void run(const Plan& plan, const ExecutionInputs&) override {
    elements_ = plan.elements;
    stats.copied_elements += copied_elements(plan.gathers);
    stats.launches[KernelStats::gather] += plan.gathers.size();
    for (const PlanStep& step : plan.steps)
      step.each_kernel([&](const Kernel& k) {
        ++stats.launches[k.kind == Kernel::Kind::fused ? KernelStats::elementwise : KernelStats::other];
      });
  }
  void accumulate(const Plan& plan, const ExecutionInputs&, detail::GradientState& to) override {
    for (const Accumulate& a : plan.accumulations) {
      set_to_zero(to.entry(*a.parameter, is_sparse(a)));
      stats.weight_products += a.kind == Accumulation::Kind::product;
    }
    stats.launches[KernelStats::accumulate] += plan.accumulations.size();
  }
  void read(std::span<const Range> rows, float* out) override {
    for (const Range& r : rows) out = std::fill_n(out, r.size, 0.f);
  }
  void add_sum(std::span<const uint64_t>, double, detail::LossSum&) override {}
  size_t bytes() const override { return elements_ * sizeof(float); }
  size_t growths() const override { return 0; }
  void poison_all() override {}

 private:
  uint64_t elements_ = 0;
};

}  // namespace espalier
