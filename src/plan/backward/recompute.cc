// Forward steps within the backward plan. The kept rows of a recomputed cell batch are scratch: before its backward
// steps run, its forward kernels run over the same rows again, in the same chunks, so that the bits are the same. In a
// wide batch the weight gradients are summed as soon as `CellBatch::sum_rows` rows are done. A deferred batch has not
// run at all: its forward steps run here, and only here.
#include <algorithm>

#include "plan/backward/work.h"

namespace espalier {

// Emits the steps of one step of the schedule, in the smallest ranges of rows that consist both of forward
// chunks and of backward chunks.
void BackwardPlanner::Work::emit_recomputed(size_t step, uint64_t scratch) {
  const BatchRows& rows = layout.steps[step];
  const CellBatch& batch = layout.batches[rows.batch];
  std::span<const BatchRows> active(own.active_rows_.data() + own.step_active_[step],
                                    own.active_rows_.data() + own.step_active_[step + 1]);
  if (active.empty() && !batch.deferred) return;
  own.chunks_.clear();
  each_chunk(batch, rows, false, options, [&](const BatchRows& chunk) { own.chunks_.push_back(chunk); });
  own.held_.assign(batch.program->code.buffers.size(), {});
  std::span<const BatchRows> part = active.first(0);  // active rows whose weight gradients are not summed yet
  uint64_t range_scratch = scratch;
  uint32_t part_end = 0;
  for (size_t c = 0; c < own.chunks_.size();) {
    BatchRows range = own.chunks_[c++];
    auto end = [&] { return range.first + range.rows; };
    size_t n = 0;
    while (n < active.size() && active[n].first < end()) {
      for (const uint32_t to = active[n].first + active[n].rows; end() < to;) range.rows += own.chunks_[c++].rows;
      ++n;
    }
    if (batch.is_wide() && range.first >= part_end) {
      sum_rows(part);
      part = active.first(0);
      BatchRows whole = range;
      for (size_t k = c; k < own.chunks_.size() && whole.rows + own.chunks_[k].rows <= batch.sum_rows; ++k)
        whole.rows += own.chunks_[k].rows;
      part_end = whole.first + whole.rows;
      range_scratch = hold(whole, scratch, true);
    }
    if (n == 0 && !batch.deferred) continue;
    emit_range(range, active.first(n), range_scratch);
    part = {part.empty() ? active.data() : part.data(), part.size() + n};
    active = active.subspan(n);
  }
  if (batch.is_wide()) sum_rows(part);
  own.held_.clear();
}

// Whether the forward plan does not keep the rows of the buffer.
bool BackwardPlanner::Work::is_dropped(const CellBatch& batch, size_t b) const {
  const Buffer& buffer = batch.program->code.buffers[b];
  if (buffer.kind != Buffer::Kind::kept && buffer.kind != Buffer::Kind::input) return false;
  if (buffer.inside >= 0 || layout.base(batch, static_cast<int>(b)) != no_offset) return false;
  return buffer.kind == Buffer::Kind::kept ||
         layout.inputs[batch.first_input + static_cast<size_t>(buffer.which)].gathered;
}

// Assigns scratch to the rows of buffers that outlive one kernel: those that sums of weight gradients read, or the
// others. Returns the end of the scratch.
uint64_t BackwardPlanner::Work::hold(const BatchRows& rows, uint64_t scratch, bool summed) {
  const CellBatch& batch = layout.batches[rows.batch];
  const auto& buffers = batch.program->code.buffers;
  for (size_t b = 0; b < buffers.size(); ++b) {
    const bool is_summed = batch.is_wide() && batch.program->code.accumulates(b, [](size_t) { return true; });
    if (is_summed != summed || !(is_dropped(batch, b) || (batch.is_wide() && is_in_parts(batch, b)))) continue;
    own.held_[b] = {scratch, layout.first_in(batch, buffers[b].space, rows.first)};
    scratch = aligned(end_of(scratch, rows_of(batch, rows, buffers[b].space), buffers[b].stride));
  }
  return scratch;
}

// Forward steps over the range, then backward steps over its active rows.
void BackwardPlanner::Work::emit_range(const BatchRows& range, std::span<const BatchRows> active, uint64_t scratch) {
  scratch = hold(range, scratch, false);
  for (const BatchRows& chunk : own.chunks_)
    if (chunk.first >= range.first && chunk.first < range.first + range.rows) emit_forward(chunk, scratch);
  for (size_t i = active.size(); i-- > 0;) emit(active[i], scratch, ~hoisted(range.batch));
}

void BackwardPlanner::Work::emit_forward(const BatchRows& rows, uint64_t scratch) {
  const CellBatch& batch = layout.batches[rows.batch];
  const Code& code = batch.program->code;
  PlanStep out = step(rows, SaturatingMask::all());
  out.backward = false;
  out.gradient_mask = {};
  auto take = [&](const Buffer& buffer) {
    const uint64_t at = scratch;
    scratch = aligned(end_of(scratch, rows_of(batch, rows, buffer.space), buffer.stride));
    return at;
  };
  for (size_t b = 0; b < code.buffers.size(); ++b) {
    const Buffer& buffer = code.buffers[b];
    const uint32_t first = layout.first_in(batch, buffer.space, rows.first);
    Binding bind{no_offset, buffer.stride};
    if (buffer.inside >= 0) {
      // bound below, after the buffer that contains it
    } else if (is_held(b) && buffer.kind != Buffer::Kind::dkept) {
      bind.offset = held_at(b, first, buffer.stride);
    } else if (buffer.kind == Buffer::Kind::input) {
      const StridedRows p = layout.input_at(batch, static_cast<size_t>(buffer.which), first);
      bind = {p.offset + uint64_t{first - p.first} * p.stride, p.stride};
    } else if (buffer.kind == Buffer::Kind::output && batch.deferred) {
      bind.offset = layout.base(batch, static_cast<int>(b)) + uint64_t{first} * buffer.stride;
    } else if (buffer.kind == Buffer::Kind::scratch || buffer.kind == Buffer::Kind::output ||
               buffer.kind == Buffer::Kind::kept) {
      bind.offset = take(buffer);  // rows that the forward plan has left stay as they are
    }
    plan.bindings.push_back(bind);
  }
  for (size_t j = 0; j < batch.program->rows.size(); ++j) {
    const Buffer& buffer = code.buffers[static_cast<size_t>(code.input_buffer[j])];
    Binding& bind = plan.bindings[out.first_binding + static_cast<size_t>(code.input_buffer[j])];
    if (buffer.inside >= 0) {
      bind = plan.bindings[out.first_binding + static_cast<size_t>(buffer.inside)];
      bind.offset += buffer.at;
    }
    const bool stays = buffer.inside < 0 && !batch.deferred &&  // gathered by the forward plan
                       !is_held(static_cast<size_t>(code.input_buffer[j]));
    if (layout.inputs[batch.first_input + j].gathered && !stays) gather_input(batch, j, rows, bind);
  }
  out.gathers = static_cast<uint32_t>(plan.gathers.size()) - out.first_gather;
  plan.elements = std::max(plan.elements, scratch);
  plan.steps.push_back(out);
}

void BackwardPlanner::Work::gather_input(const CellBatch& batch, size_t input, const BatchRows& rows,
                                         const Binding& to) {
  const auto first = static_cast<uint32_t>(plan.sources.size());
  for (const uint32_t call : std::span(layout.calls).subspan(batch.first_call + rows.first, rows.rows))
    for (const uint32_t v : tape.row_values(call, input)) plan.sources.push_back(layout.unit_of[tape.source(v)]);
  const auto count = static_cast<uint32_t>(plan.sources.size()) - first;
  const Buffer& buffer = batch.program->code.buffers[static_cast<size_t>(batch.program->code.input_buffer[input])];
  if (count > 0) plan.gathers.push_back({first, ~uint32_t{0}, count, buffer.size, to.stride, to.offset});
}

}  // namespace espalier
