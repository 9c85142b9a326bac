// Weight gradients that are summed in parts. Steps run from the last to the first, so a part is a range of rows that
// grows downwards. When the next step does not fit, the part is summed, and its rows are used again.
#include <algorithm>

#include "plan/backward/work.h"

namespace espalier {

void BackwardPlanner::Work::find_parts() {
  own.parts_.assign(layout.batches.size(), {});
  for (size_t i = 0; i < layout.batches.size(); ++i) own.parts_[i].capacity = rows_per_part(layout.batches[i], options);
  for (const BatchRows& step : layout.steps)
    if (uint32_t& rows = own.parts_[step.batch].capacity; rows > 0) rows = std::max(rows, step.rows);
}

// Adds the rows of the step to the part of its batch, or begins a new part with them.
void BackwardPlanner::Work::enter_part(const BatchRows& step) {
  Part& part = own.parts_[step.batch];
  if (part.capacity == 0) return;
  if (part.end - step.first > part.capacity) sum_part(step.batch);
  if (part.end == 0) part.end = step.first + step.rows;
  part.first = step.first;
}

// Sums the current part of a batch, if it has one.
void BackwardPlanner::Work::sum_part(uint32_t number) {
  Part& part = own.parts_[number];
  if (part.end == 0) return;
  std::vector<BatchRows> active;
  own.readers_.each_active_range(layout, number, part.first, part.end,
                                 [&](uint32_t begin, uint32_t end) { active.push_back({number, begin, end - begin}); });
  sum_rows(active);
  part.first = part.end = 0;
}

// Lets the last step add the weight gradients of these rows.
void BackwardPlanner::Work::sum_rows(std::span<const BatchRows> active) {
  if (active.empty()) return;
  own.ranges_.clear();
  for (const BatchRows& rows : active)
    if (!own.ranges_.empty() && own.ranges_.back().first + own.ranges_.back().rows == rows.first)
      own.ranges_.back().rows += rows.rows;
    else
      own.ranges_.push_back(rows);
  PlanStep& last = plan.steps.back();
  if (last.accumulations == 0) last.first_accumulation = static_cast<uint32_t>(plan.accumulations.size());
  accumulate(active[0].batch, own.ranges_, true);
  last.accumulations = static_cast<uint32_t>(plan.accumulations.size()) - last.first_accumulation;
}

}  // namespace espalier
