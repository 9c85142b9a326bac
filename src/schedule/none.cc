#include "schedule/schedule.h"

namespace espalier::scheduling {

void none(const GraphTape& tape, std::span<const uint32_t> pending, Schedule& out) {
  out.order.assign(pending.begin(), pending.end());
  for (uint32_t i = 0; i < pending.size(); ++i) out.steps.push_back({tape.call[pending[i]].cell, i, i + 1});
}

}  // namespace espalier::scheduling
