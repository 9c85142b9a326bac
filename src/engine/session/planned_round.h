// Rounds that are planned and not yet executed: values that Session::plan makes, a pipeline may queue, and Session::run
// executes. Each belongs to the session that planned it; until it runs, that session must plan no further round.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/plan.h"
#include "schedule/schedule.h"

namespace espalier::detail {

struct PlannedRound {
  Schedule schedule;  // empty if every requested value is already computed
  Plan plan;
  Layout::Mark before;       // the session's layout without this round
  uint32_t first_batch = 0;  // in Layout::batches
  bool reuse = false;        // rows are reused, and the graph is closed after the round

  bool empty() const { return schedule.order.empty(); }
};

// The backward pass over all rounds of the graph, gradient of Σ scale · loss.
struct PlannedBackward {
  Plan plan;
  std::vector<uint64_t> loss_rows;  // offset of each loss
  double scale = 1;
};

}  // namespace espalier::detail
