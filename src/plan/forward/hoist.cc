// Hoisting: kernels of a cell batch that do not depend on its recursion run once, over the rows of all its steps.
// This pays for small steps: the time of a product with few rows hardly depends on their number.
#include <algorithm>

#include "plan/forward/work.h"

namespace espalier {

void ForwardPlanner::Work::find_hoisted() {
  for (size_t i = first_batch_; i < layout_.batches.size(); ++i) {
    CellBatch& r = layout_.batches[i];
    const Code& code = r.program->code;
    const uint64_t steps = own_.step_first_[i - first_batch_ + 1] - own_.step_first_[i - first_batch_];
    if (steps < 2 || r.rows >= steps * options_.hoist_below || r.is_wide()) continue;
    SaturatingMask asked;
    for (const auto* list : {&code.hoisted_forward, &code.hoisted_backward})
      for (const HoistedKernels& a : *list) asked |= a.inputs;
    r.early_inputs = early_inputs(i, asked);
    for (const HoistedKernels& a : code.hoisted_forward)
      if (r.early_inputs.contains(a.inputs)) r.hoisted |= a.kernels;
  }
}

// The subset of `asked` whose rows come from earlier rounds, or from cell batches that end before this one begins.
SaturatingMask ForwardPlanner::Work::early_inputs(size_t batch, SaturatingMask asked) const {
  const CellBatch& r = layout_.batches[batch];
  const uint32_t begin = own_.step_of_batch_[own_.step_first_[batch - first_batch_]];
  SaturatingMask early;
  asked.each([&](size_t j) {
    bool all = true;
    uint32_t known = Layout::pending;  // a cell batch that was found to be early
    for (uint32_t i = 0; i < r.rows && all; ++i)
      for (const uint32_t v : tape_.row_values(layout_.calls[r.first_call + i], j)) {
        const uint32_t from = layout_.call_rows[tape_.value[v].call].batch;
        if (from == known || from < first_batch_) continue;
        all = all && own_.step_of_batch_[own_.step_first_[from - first_batch_ + 1] - 1] < begin;
        known = from;
      }
    if (all) early.set(j);
  });
  return early;
}

// Gives each scratch buffer that hoisted kernels write a region for all rows, because all later steps read it.
void ForwardPlanner::Work::place_hoisted(uint64_t& top) {
  for (size_t i = first_batch_; i < layout_.batches.size(); ++i) {
    const CellBatch& r = layout_.batches[i];
    if (!r.hoisted.any()) continue;
    auto place = [&](const RowsOf& rows) {
      if (rows.kind != RowsOf::Kind::buffer) return;
      uint64_t& base = layout_.bases[r.first_base + static_cast<size_t>(rows.which)];
      if (base != no_offset) return;
      base = top;
      top = aligned(end_of(top, r.rows, r.program->code.buffers[static_cast<size_t>(rows.which)].stride));
    };
    const auto& kernels = r.program->code.forward;
    r.hoisted.each([&](size_t k) {
      place(kernels[k].out);
      for (const FusedKernel::Out& out : kernels[k].fused.out) place(out.rows);
    });
  }
}

// Emits one step, or several where an early input is in place at more than one stride.
void ForwardPlanner::Work::emit_hoisted(uint32_t batch) {
  const CellBatch& r = layout_.batches[batch];
  if (!r.hoisted.any()) return;
  for (uint32_t begin = 0; begin < r.rows;) {
    uint32_t end = r.rows;
    for (size_t j = 0; j < r.program->rows.size(); ++j) {
      if (!r.early_inputs.test(j)) continue;
      const InputPlacement& place = layout_.inputs[r.first_input + j];
      for (uint32_t p = place.first; p < place.first + place.count; ++p)
        if (const uint32_t first = layout_.strided[p].first; first > begin) {
          end = std::min(end, first);
          break;
        }
    }
    emit_chunk({batch, begin, end - begin}, no_offset, true);
    begin = end;
  }
}

}  // namespace espalier
