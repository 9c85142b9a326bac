// Counts and computes nothing: for tests of schedules and plans, and for the host's share of the time.
#pragma once
#include <algorithm>

#include "exec/executor.h"

namespace espalier {

class NullExecutor final : public Executor {
 public:
  void run(const Plan& plan, const RunInputs&) override {
    elements_ = plan.elements;
    for (const Gather& g : plan.gathers) tally.copied_elements += uint64_t{g.rows} * g.size;
    tally.launches[Tally::gather] += plan.gathers.size();
    for (const PlanStep& step : plan.steps)
      step.each_kernel(
          [&](const Kernel& k) { ++tally.launches[k.kind == Kernel::Kind::run ? Tally::elementwise : Tally::other]; });
  }
  void accumulate(const Plan& plan, const RunInputs&, detail::GradientState& to) override {
    for (const Accumulate& a : plan.accumulations) {
      set_to_zero(to.entry(*a.slot, a.kind == Accumulation::Kind::table && (*a.slot)->sparse()));
      tally.weight_products += a.kind == Accumulation::Kind::product;
    }
    tally.launches[Tally::accumulate] += plan.accumulations.size();
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
