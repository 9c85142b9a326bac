// Backward plans. Gradients are pulled: every argument slot owns a gradient row, written once; a call's backward starts
// by summing the slots of its readers, in recording order. Weight gradients are one product per weight over all steps.
#include <algorithm>

#include "plan/backward_work.h"

namespace espalier {

void BackwardPlanner::Work::run() {
  plan.clear();
  top = layout.top;
  own.readers_.find(tape, layout, losses, watched);
  take_regions();
  cut_pieces();
  plan.regions = top;
  const uint64_t scratch = top;
  for (size_t i = own.pieces_.size(); i-- > 0;) {
    const uint32_t run = own.pieces_[i].run;
    emit(own.pieces_[i], scratch, ~epilogue(run));
    if (own.first_piece_[run] == i) emit_epilogue(run);
  }
  for (uint32_t v : watched) watch(v);
  plan.elements = std::max(plan.elements, top);
  plan.scratch = plan.elements - plan.regions;
  if (plan.elements > options.limit_elements) over_the_limit(plan.elements, plan.regions, options.limit_elements);
  for (size_t r = 0; r < layout.runs.size(); ++r) accumulate(static_cast<uint32_t>(r));
}

// Whether a wanted parameter gradient reads the buffer.
bool BackwardPlanner::Work::accumulates(size_t run, size_t buffer) const {
  const Code& code = layout.runs[run].program->code;
  auto reads = [&](const RowsOf& rows) {
    return rows.kind == RowsOf::Kind::buffer && rows.which == static_cast<int>(buffer);
  };
  for (size_t a = 0; a < code.accumulations.size(); ++a)
    if ((roots(run) & code.accumulation_root[a]) != 0 &&
        (reads(code.accumulations[a].dy) || reads(code.accumulations[a].x)))
      return true;
  return false;
}

// Whether a kernel that runs for the sake of other gradients writes the buffer, too.
bool BackwardPlanner::Work::writes(size_t run, size_t buffer) const {
  const auto which = static_cast<int>(buffer);
  for (const Kernel& k : layout.runs[run].program->code.backward) {
    if ((k.roots & roots(run)) == 0) continue;
    if (k.kind != Kernel::Kind::run && k.out.which == which) return true;
    for (const Run::Out& out : k.run.out)
      if (out.rows.which == which) return true;
  }
  return false;
}

void BackwardPlanner::Work::take_regions() {
  own.bases_.assign(layout.bases.size(), nowhere);
  for (size_t r = 0; r < layout.runs.size(); ++r) {
    if (roots(r) == 0) continue;
    const CellRun& run = layout.runs[r];
    const auto& buffers = run.program->code.buffers;
    for (size_t b = 0; b < buffers.size(); ++b) {
      const Buffer& buffer = buffers[b];
      const bool region =
          buffer.kind == Buffer::Kind::slot
              ? wants_slot(r, static_cast<size_t>(buffer.which)) || accumulates(r, b)
              : buffer.kind == Buffer::Kind::dkept || (buffer.kind == Buffer::Kind::dout && buffer.accumulated);
      if (!region) {
        if (buffer.kind == Buffer::Kind::slot && writes(r, b)) own.bases_[run.first_base + b] = discarded;
        continue;
      }
      own.bases_[run.first_base + b] = top = aligned(top);
      top = end_of(top, layout.rows_in(run, buffer.space), buffer.stride);
    }
  }
  note_slots();
  own.slots_.back() = in_units(top, 0);
  seed = top;
  plan.fills.push_back({top, scale});
  top = aligned(top + unit);
}

void BackwardPlanner::Work::note_slots() {
  own.slots_.assign(layout.inputs.size() + 1, {});
  for (size_t r = 0; r < layout.runs.size(); ++r) {
    const CellRun& run = layout.runs[r];
    const Code& code = run.program->code;
    for (size_t j = 0; j < code.slot_buffer.size(); ++j) {
      if (!wants_slot(r, j)) continue;
      const auto b = static_cast<size_t>(code.slot_buffer[j]);
      own.slots_[run.first_input + j] =
          in_units(own.bases_[run.first_base + b] + code.slot_offset[j], code.buffers[b].stride);
    }
  }
}

void BackwardPlanner::plan(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses, double scale,
                           std::span<const uint32_t> watched, const PlanOptions& options, Plan& plan) {
  Work{*this, tape, layout, losses, scale, watched, options, plan}.run();
}

}  // namespace espalier
