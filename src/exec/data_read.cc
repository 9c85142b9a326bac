#include "exec/data_read.h"

#include <algorithm>

#include "exec/plan_view.h"
#include "op/kernel/indexed.h"

namespace espalier {

Range data_read(const Plan& plan, const Layout& layout) {
  uint64_t begin = ~uint64_t{0}, end = 0;
  const auto take = [&](int32_t offset, int64_t size) {
    begin = std::min(begin, static_cast<uint64_t>(offset));
    end = std::max(end, static_cast<uint64_t>(offset) + static_cast<uint64_t>(size));
  };
  for (const PlanStep& step : plan.steps)
    step.each_kernel([&](const Kernel& k) {
      if (k.kind != Kernel::Kind::op || k.op != &info<op::InputRow>()) return;
      if (k.index < 0) return take(k.literal, k.out_shape.size());
      const int32_t* const offsets = StepIntegers(step, integers_of(layout, *step.batch)).column(k.index);
      for (const int32_t offset : std::span(offsets, step.rows)) take(offset, k.out_shape.size());
    });
  return begin < end ? Range{begin, end - begin} : Range{};
}

}  // namespace espalier
