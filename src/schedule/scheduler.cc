#include "schedule/schedule.h"

namespace espalier {

void Schedule::clear() {
  steps.clear();
  order.clear();
  how = {};
}

void Scheduler::run(const GraphTape& tape, std::span<const uint32_t> pending, Policy policy, Schedule& out) {
  out.clear();
  out.how = name(policy);
  if (policy == Policy::none) return scheduling::none(tape, pending, out);
  if (policy == Policy::automatic) {
    out.how = components_.draft(round_, tape, pending, depth_, agenda_, draft_);
  } else {
    round_.read(tape, pending, [](uint32_t, uint32_t) { return true; });
    if (policy == Policy::agenda) round_.list_edges(tape, pending);
    policy == Policy::agenda ? agenda_.draft(round_, draft_) : depth_.draft(round_, draft_);
  }
  placement_.place(round_, draft_, pending, out);
}

}  // namespace espalier
