// Rounds that are planned and not yet executed: values that Session::plan makes, a pipeline may queue, and Session::run
// executes. Each belongs to the session that planned it. That session must not plan another round before it has run or
// discarded this one.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/plan.h"
#include "schedule/schedule.h"

namespace espalier::detail {

struct PlannedRound {
  Schedule schedule;  // empty if every requested value is already computed
  Plan plan;
  Layout::Mark before;       // the session's layout before this round was planned
  uint32_t first_batch = 0;  // index of its first batch in Layout::batches
  bool reuse = false;        // rows are reused, and the graph is closed after the round

  bool empty() const { return schedule.order.empty(); }
};

// The backward pass over all rounds of the graph: the gradient of Σ scale · loss.
struct PlannedBackward {
  Plan plan;
  std::vector<uint64_t> loss_rows;  // per loss: offset of its row in the arena
  double scale = 1;
};

}  // namespace espalier::detail
