// Emits forward steps: bindings of buffers, and gathers.
#include <algorithm>

#include "plan/forward/work.h"

namespace espalier {

uint64_t ForwardPlanner::Work::scratch_of(const BatchRows& step) const {
  const CellBatch& r = layout_.batches[step.batch];
  uint64_t n = 0;
  const auto& buffers = r.program->code.buffers;
  for (size_t b = 0; b < buffers.size(); ++b)
    if (is_scratch(r, b) && buffers[b].inside < 0)
      n = aligned(end_of(n, rows_of(r, step, buffers[b].space), buffers[b].stride));
  return n;
}
bool ForwardPlanner::Work::is_scratch(const CellBatch& r, size_t buffer) const {
  const Buffer::Kind kind = r.program->code.buffers[buffer].kind;
  return ((kind == Buffer::Kind::scratch || kind == Buffer::Kind::kept) &&
          layout_.bases[r.first_base + buffer] == no_offset) ||
         (kind == Buffer::Kind::input && (options_.reuse || is_dropped(r, buffer)));
}
uint64_t ForwardPlanner::Work::rows_of(const CellBatch& r, const BatchRows& step, int space) const {
  return layout_.first_in(r, space, step.first + step.rows) - layout_.first_in(r, space, step.first);
}
uint64_t ForwardPlanner::Work::scratch_needed() {
  uint64_t most = 0;
  for (size_t s = first_step_; s < layout_.steps.size(); ++s)
    if (const CellBatch& batch = layout_.batches[layout_.steps[s].batch]; !batch.deferred)
      each_chunk(batch, layout_.steps[s], false, options_,
                 [&](const BatchRows& chunk) { most = std::max(most, scratch_of(chunk)); });
  plan_.scratch = most;
  return most;
}

void ForwardPlanner::Work::check_limit(uint64_t elements) {
  plan_.elements = elements;
  if (elements > options_.limit_elements)
    over_the_limit(elements, plan_.regions, options_.limit_elements, layout_.recomputes());
}

void ForwardPlanner::Work::emit(const BatchRows& step, uint64_t scratch) {
  const CellBatch& batch = layout_.batches[step.batch];
  if (batch.deferred) return;
  each_chunk(batch, step, false, options_, [&](const BatchRows& chunk) { emit_chunk(chunk, scratch); });
}

void ForwardPlanner::Work::emit_chunk(const BatchRows& step, uint64_t scratch, bool hoisted) {
  const CellBatch& r = layout_.batches[step.batch];
  const Code& code = r.program->code;
  PlanStep out;
  out.program = r.program;
  out.batch = &r;
  out.first = step.first;
  out.rows = step.rows;
  out.hoisted = hoisted;
  out.kernels = hoisted ? r.hoisted : ~r.hoisted;
  out.first_binding = static_cast<uint32_t>(plan_.bindings.size());
  out.first_gather = static_cast<uint32_t>(plan_.gathers.size());
  for (size_t b = 0; b < code.buffers.size(); ++b) {
    const Buffer& buffer = code.buffers[b];
    Binding bind{no_offset, buffer.stride};
    const uint32_t first = layout_.first_in(r, buffer.space, step.first);
    const auto which = static_cast<size_t>(buffer.which);
    if (buffer.inside >= 0) {
      // bound below, after the buffer that contains it
    } else if (hoisted && (is_scratch(r, b) || (buffer.kind == Buffer::Kind::input && !r.early_inputs.test(which)))) {
      // left unbound: not computed yet when hoisted kernels run
    } else if (is_scratch(r, b) && !(buffer.kind == Buffer::Kind::input && !gathered(r, buffer))) {
      bind.offset = scratch;
      scratch = aligned(end_of(scratch, rows_of(r, step, buffer.space), buffer.stride));
    } else if (buffer.kind == Buffer::Kind::input) {
      const StridedRows p = layout_.input_at(r, which, first);
      bind = {p.offset + uint64_t{first - p.first} * p.stride, p.stride};
    } else if (const uint64_t base = layout_.base(r, static_cast<int>(b)); base != no_offset) {
      bind.offset = base + uint64_t{first} * buffer.stride;
    }
    plan_.bindings.push_back(bind);
  }
  for (size_t j = 0; j < r.program->rows.size(); ++j) {
    const Buffer& buffer = code.buffers[static_cast<size_t>(code.input_buffer[j])];
    Binding& bind = plan_.bindings[out.first_binding + static_cast<size_t>(code.input_buffer[j])];
    if (buffer.inside >= 0) {
      bind = plan_.bindings[out.first_binding + static_cast<size_t>(buffer.inside)];
      bind.offset += buffer.at;
    }
    if (!layout_.inputs[r.first_input + j].gathered) continue;
    if (hoisted != (r.hoisted.any() && r.early_inputs.test(j))) continue;
    const uint32_t first = layout_.first_in(r, buffer.space, step.first);
    const auto rows = static_cast<uint32_t>(rows_of(r, step, buffer.space));
    if (rows == 0) continue;
    plan_.gathers.push_back(
        {layout_.inputs[r.first_input + j].source + first, ~uint32_t{0}, rows, buffer.size, bind.stride, bind.offset});
  }
  out.gathers = static_cast<uint32_t>(plan_.gathers.size()) - out.first_gather;
  plan_.steps.push_back(out);
}

bool ForwardPlanner::Work::gathered(const CellBatch& r, const Buffer& buffer) const {
  return layout_.inputs[r.first_input + static_cast<uint32_t>(buffer.which)].gathered;
}

}  // namespace espalier
