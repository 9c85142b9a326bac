#include "schedule/schedule.h"

#include <utility>

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
    out.how = draft_automatic(tape, pending);
  } else {
    round_.read(tape, pending, [](uint32_t, uint32_t) { return true; });
    if (policy == Policy::agenda) {
      round_.list_edges(tape, pending);
      round_.list_readers();
      agenda_.draft(round_, draft_);
    } else {
      depth_.draft(round_, draft_);
    }
  }
  placement_.place(round_, draft_, pending, out);
}

std::string_view Scheduler::draft_automatic(const GraphTape& tape, std::span<const uint32_t> pending) {
  components_.read(round_, tape, pending);
  if (scheduling::Components::one_cell_each(round_)) {
    components_.draft(round_, draft_);
    return "components";
  }
  round_.list_edges(tape, pending);
  if (components_.draft_by_agenda(round_, draft_)) return "components";
  const bool one_component = round_.ranks == 1;
  const uint32_t bound = cuts_.split(round_, components_);
  if (cuts_.any()) {
    components_.read(round_);
    components_.rank(round_);
  }
  components_.draft(round_, draft_);
  cuts_.join(round_, draft_);
  std::string_view best = cuts_.any() ? "cuts" : "components";
  if (one_component || draft_.cells.size() == bound) return best;

  round_.one_rank();
  round_.list_readers();
  round_.level_inside_ranks();
  const auto consider = [&](std::string_view name) {
    if (other_.cells.size() >= draft_.cells.size()) return;
    std::swap(other_, draft_);
    best = name;
  };
  agenda_.draft(round_, other_);
  consider("agenda");
  depth_.draft(round_, other_);
  consider("depth");
  return best;
}

}  // namespace espalier
