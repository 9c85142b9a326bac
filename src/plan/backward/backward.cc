// Backward plans. Gradients are pulled: every argument of a call has a din row, which its backward step writes once;
// the backward step of a call starts by summing the din rows of its readers, in recording order. The gradient of a
// weight is one product over the rows of all steps.
#include <algorithm>

#include "plan/backward/work.h"

namespace espalier {

void BackwardPlanner::Work::run() {
  plan.clear();
  plan.first_batch = static_cast<uint32_t>(layout.batches.size());
  plan.bottom = top = layout.top;
  own.readers_.find(tape, layout, losses, watched);
  find_parts();
  take_regions();
  find_active_rows();
  plan.regions = top;
  const uint64_t scratch = top;
  for (size_t s = layout.steps.size(); s-- > 0;) {
    const uint32_t batch = layout.steps[s].batch;
    enter_part(layout.steps[s]);
    if (layout.batches[batch].recomputed)
      emit_recomputed(s, scratch);
    else
      for (uint32_t i = own.step_active_[s + 1]; i-- > own.step_active_[s];)
        emit(own.active_rows_[i], scratch, ~hoisted(batch));
    if (own.first_active_[batch] == s) emit_hoisted(batch);
  }
  for (uint32_t r = 0; r < layout.batches.size(); ++r) sum_part(r);
  plan.final_accumulations = static_cast<uint32_t>(plan.accumulations.size());
  for (uint32_t v : watched) watch(v);
  plan.elements = std::max(plan.elements, top);
  plan.scratch = plan.elements - plan.regions;
  if (plan.elements > options.limit_elements)
    over_the_limit(plan.elements, plan.regions, options.limit_elements, layout.recomputes());
  for (uint32_t r = 0; r < layout.batches.size(); ++r) {
    own.ranges_.clear();
    own.readers_.each_active_range(layout, r, 0, layout.batches[r].rows, [&](uint32_t begin, uint32_t end) {
      own.ranges_.push_back({r, begin, end - begin});
    });
    accumulate(r, own.ranges_, false);
  }
}

// Whether a requested parameter gradient reads the buffer.
bool BackwardPlanner::Work::accumulates(size_t batch, size_t buffer) const {
  const Code& code = layout.batches[batch].program->code;
  return code.accumulates(buffer, [&](size_t a) { return (gradient_mask(batch) & code.accumulation_mask[a]).any(); });
}

// Whether a kernel that runs writes the buffer.
bool BackwardPlanner::Work::writes(size_t batch, size_t buffer) const {
  const auto which = static_cast<int>(buffer);
  for (const Kernel& k : layout.batches[batch].program->code.backward) {
    if (!(k.gradient_mask & gradient_mask(batch)).any()) continue;
    if (k.kind != Kernel::Kind::fused && k.out.which == which) return true;
    for (const FusedKernel::Out& out : k.fused.out)
      if (out.rows.which == which) return true;
  }
  return false;
}

void BackwardPlanner::Work::take_regions() {
  own.bases_.assign(layout.bases.size(), no_offset);
  for (size_t r = 0; r < layout.batches.size(); ++r) {
    if (!gradient_mask(r).any()) continue;
    const CellBatch& batch = layout.batches[r];
    const auto& buffers = batch.program->code.buffers;
    for (size_t b = 0; b < buffers.size(); ++b) {
      const Buffer& buffer = buffers[b];
      const bool region = buffer.kind == Buffer::Kind::din
                              ? wants_din(r, static_cast<size_t>(buffer.which)) || accumulates(r, b)
                              : (buffer.kind == Buffer::Kind::dkept && !(batch.is_wide() && is_in_parts(batch, b))) ||
                                    (buffer.kind == Buffer::Kind::dout && buffer.accumulated);
      if (!region) {
        if (buffer.kind == Buffer::Kind::din && writes(r, b)) own.bases_[batch.first_base + b] = discarded;
        continue;
      }
      own.bases_[batch.first_base + b] = top = aligned(top);
      top = end_of(top, is_in_parts(batch, b) ? part_of(batch).capacity : layout.rows_in(batch, buffer.space),
                   buffer.stride);
    }
  }
  note_din_rows();
  own.din_rows_.back() = in_units(top, 0);
  seed = top;
  plan.fills.push_back({top, scale});
  top = aligned(top + unit);
}

void BackwardPlanner::Work::note_din_rows() {
  own.din_rows_.assign(layout.inputs.size() + 1, {});
  for (size_t r = 0; r < layout.batches.size(); ++r) {
    const CellBatch& batch = layout.batches[r];
    const Code& code = batch.program->code;
    for (size_t j = 0; j < code.din_buffer.size(); ++j) {
      if (!wants_din(r, j)) continue;
      const auto b = static_cast<size_t>(code.din_buffer[j]);
      own.din_rows_[batch.first_input + j] =
          in_units(own.bases_[batch.first_base + b] + code.din_offset[j], code.buffers[b].stride);
    }
  }
}

void BackwardPlanner::plan(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses, double scale,
                           std::span<const uint32_t> watched, const PlanOptions& options, Plan& plan) {
  Work{*this, tape, layout, losses, scale, watched, options, plan}.run();
#ifdef ESPALIER_VERIFY_PLANS
  verify(plan, layout, tape);
#endif
}

}  // namespace espalier
