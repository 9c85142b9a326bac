// Placement for training: every row lives until the graph is cleared, except rows that the backward pass recomputes.
#include "plan/forward/work.h"

namespace espalier {

void ForwardPlanner::Work::place_keeping() {
  find_wide();
  find_hoisted();
  uint64_t top = place_rows();
  constexpr uint64_t times = 64;  // both passes never need more than this many times the rows of the forward pass
  const bool may_exceed = options_.wide && top > options_.recompute_above / times;
  for (uint64_t needed = 0; may_exceed && (needed = needed_by_both(top)) > options_.recompute_above;) {
    if (!recompute(needed - options_.recompute_above)) break;
    top = place_rows();
  }
  plan_.regions = layout_.top = top = aligned(top);
  place_hoisted(top);
  check_limit(top + scratch_needed());
  plan_.scratch = plan_.elements - plan_.regions;
  for (size_t s = first_step_; s < layout_.steps.size(); ++s) {
    if (layout_.steps[s].first == 0) emit_hoisted(layout_.steps[s].batch);
    emit(layout_.steps[s], top);
  }
}

// Gives each output, kept buffer and gathered input a region. Returns the end of the regions. May be called again after
// more batches are recomputed.
uint64_t ForwardPlanner::Work::place_rows() {
  layout_.strided.resize(first_strided_);
  plan_.sources.clear();
  uint64_t top = layout_.top;
  for (size_t i = first_batch_; i < layout_.batches.size(); ++i) {
    const CellBatch& r = layout_.batches[i];
    const auto& buffers = r.program->code.buffers;
    for (size_t b = 0; b < buffers.size(); ++b) {
      uint64_t& base = layout_.bases[r.first_base + b] = no_offset;
      const bool stays =
          buffers[b].kind == Buffer::Kind::output || (buffers[b].kind == Buffer::Kind::kept && !is_dropped(r, b));
      if (!stays) continue;
      base = top = aligned(top);
      top = end_of(top, layout_.rows_in(r, buffers[b].space), buffers[b].stride);
    }
    note_values(r);
  }
  for (size_t i = first_batch_; i < layout_.batches.size(); ++i) place_inputs(i, top);
  return top;
}

}  // namespace espalier
