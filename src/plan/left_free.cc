#include "plan/left_free.h"

#include <algorithm>
#include <span>
#include <utility>

namespace espalier {
namespace {

// Removes the hole from all ranges.
void cut(std::vector<Range>& ranges, Range hole) {
  const uint64_t begin = hole.offset, end = begin + hole.size;
  std::vector<Range> left;
  for (const Range& r : ranges) {
    const uint64_t r_end = r.offset + r.size;
    if (r.offset < std::min(r_end, begin)) left.push_back({r.offset, std::min(r_end, begin) - r.offset});
    if (std::max(r.offset, end) < r_end) left.push_back({std::max(r.offset, end), r_end - std::max(r.offset, end)});
  }
  ranges = std::move(left);
}

}  // namespace

std::vector<Range> left_free(const Plan& plan, const Layout& layout, size_t first_step, size_t steps) {
  std::vector<Range> free;
  for (const PlanStep& step : std::span(plan.steps).subspan(first_step, steps)) {
    const auto& buffers = step.program->code.buffers;
    for (size_t b = 0; b < buffers.size() && !free.empty(); ++b)
      if (buffers[b].kind == Buffer::Kind::output)
        cut(free, {layout.base(*step.batch, static_cast<int>(b)), uint64_t{step.batch->rows} * buffers[b].stride});
    for (const Range& r : std::span(plan.freed).subspan(step.first_freed, step.freed)) free.push_back(r);
  }
  return free;
}

}  // namespace espalier
