// A straightforward check of a schedule that shares no code with the policies.
#include "base/check.h"
#include "schedule/schedule.h"

namespace espalier {

void verify(const Schedule& schedule, const GraphTape& tape, std::span<const uint32_t> pending) {
  constexpr uint32_t computed = 0, unplaced = ~0u;
  std::vector<uint32_t> after(tape.calls(), computed);  // 1 + the step of a call
  uint32_t least = 0;
  for (const uint32_t call : pending) {
    ESPALIER_CHECK(call >= least && call < tape.calls());
    least = call + 1;
    after[call] = unplaced;
  }
  ESPALIER_CHECK(schedule.order.size() == pending.size());
  uint32_t end = 0;
  for (uint32_t s = 0; s < schedule.steps.size(); ++s) {
    const Step& step = schedule.steps[s];
    ESPALIER_CHECK(step.begin == end && step.end > step.begin && step.end <= schedule.order.size());
    end = step.end;
    for (uint32_t k = step.begin; k < step.end; ++k) {
      const uint32_t call = schedule.order[k];
      ESPALIER_CHECK(call < tape.calls() && after[call] == unplaced);
      ESPALIER_CHECK(tape.call[call].cell == step.cell);
      for (size_t j = 0; j < tape.program(call).rows.size(); ++j)
        for (const uint32_t value : tape.row_values(call, j)) ESPALIER_CHECK(after[tape.value[value].call] <= s);
      after[call] = s + 1;
    }
  }
  ESPALIER_CHECK(end == schedule.order.size());
}

}  // namespace espalier
