// Recomputation under a memory limit. If a round and its backward pass do not fit, the rows within calls are dropped:
// kept rows and gathered inputs become scratch, the results of calls stay, and the backward pass runs the forward
// kernels again, in the same chunks. So the bits are the same with and without a limit.
#include <algorithm>
#include <utility>

#include "plan/forward/work.h"
#include "plan/parts.h"

namespace espalier {

// Whether the rows of a kept buffer or a gathered input are not kept. Weight gradients read the rows of all steps, so
// they need the rows of all calls, except in a wide batch.
bool ForwardPlanner::Work::is_dropped(const CellBatch& r, size_t buffer) const {
  const Code& code = r.program->code;
  const Buffer& b = code.buffers[buffer];
  if (!r.recomputed || b.inside >= 0 || (b.kind != Buffer::Kind::kept && b.kind != Buffer::Kind::input)) return false;
  return r.is_wide() || !code.accumulates(buffer, [](size_t) { return true; });
}

// Recomputes more batches, so that `excess` elements are saved, or all if that does not suffice. Returns false if no
// batch is left that saves anything.
bool ForwardPlanner::Work::recompute(uint64_t excess) {
  struct Choice {
    size_t batch;
    uint64_t saved;
    double cost;  // operations per element
  };
  std::vector<Choice> choices;
  for (size_t i = first_batch_; i < layout_.batches.size(); ++i) {
    const uint64_t saved = saved_by_recomputing(i);
    if (saved == 0) continue;
    double flops = 0;
    for (const Kernel& k : layout_.batches[i].program->code.forward)
      flops += k.kind == Kernel::Kind::op ? k.op->flops(k.attrs, k.in_shapes, k.out_shape)
                                          : static_cast<double>(k.fused.size * k.fused.code.size());
    choices.push_back({i, saved, flops * layout_.batches[i].rows / static_cast<double>(saved)});
  }
  std::ranges::sort(choices, {}, [](const Choice& c) { return std::pair(c.cost, c.batch); });
  uint64_t saved = 0;
  for (const Choice& c : choices) {
    if (saved >= excess) break;
    layout_.batches[c.batch].recomputed = true;
    saved += c.saved;
  }
  return !choices.empty();
}

// The backward pass holds the rows of one step at a time. Hoisted kernels run over the rows of all steps, so their
// batches are not recomputed.
uint64_t ForwardPlanner::Work::saved_by_recomputing(size_t batch) const {
  CellBatch r = layout_.batches[batch];
  if (r.recomputed || r.hoisted.any() || r.early_inputs.any()) return 0;
  r.recomputed = true;
  uint32_t most = 0;
  for (uint32_t s = own_.step_first_[batch - first_batch_]; s < own_.step_first_[batch - first_batch_ + 1]; ++s)
    most = std::max(most, layout_.steps[own_.step_of_batch_[s]].rows);
  uint64_t saved = 0;
  const auto& buffers = r.program->code.buffers;
  for (size_t b = 0; b < buffers.size(); ++b)
    if (is_dropped(r, b) && layout_.base(r, static_cast<int>(b)) != no_offset)
      saved += uint64_t{layout_.rows_in(r, buffers[b].space)} * buffers[b].stride;
  return saved / r.rows * (r.rows - most);
}

// An upper bound on the elements of both passes over all rounds so far: every gradient is requested, and every call
// takes part.
uint64_t ForwardPlanner::Work::needed_by_both(uint64_t top) {
  uint64_t regions = aligned(top), scratch = 0;
  for (const CellBatch& r : layout_.batches) {
    const Code& code = r.program->code;
    for (size_t b = 0; b < code.buffers.size(); ++b) {
      const Buffer& buffer = code.buffers[b];
      const bool region =
          buffer.kind == Buffer::Kind::din ||
          (buffer.kind == Buffer::Kind::dkept && !(r.is_wide() && is_read_by_sums_only(*r.program, b))) ||
          (buffer.kind == Buffer::Kind::dout && buffer.accumulated);
      const uint32_t part = is_read_by_sums_only(*r.program, b) ? rows_per_part(r, options_) : 0;
      if (region) regions = aligned(end_of(regions, part > 0 ? part : layout_.rows_in(r, buffer.space), buffer.stride));
    }
  }
  for (const BatchRows& step : layout_.steps) {
    const CellBatch& r = layout_.batches[step.batch];
    const auto& buffers = r.program->code.buffers;
    auto rows_needed = [&](const BatchRows& rows) {
      uint64_t n = 0;
      for (size_t b = 0; b < buffers.size(); ++b) {
        const Buffer::Kind kind = buffers[b].kind;
        const bool in_backward = kind == Buffer::Kind::dscratch || kind == Buffer::Kind::dout;
        const bool in_forward = kind == Buffer::Kind::kept || kind == Buffer::Kind::scratch ||
                                kind == Buffer::Kind::output || kind == Buffer::Kind::input;
        if (in_backward || (in_forward && r.recomputed) || (kind == Buffer::Kind::dkept && r.is_wide()))
          n = aligned(end_of(n, rows_of(r, rows, buffers[b].space), buffers[b].stride));
      }
      scratch = std::max(scratch, n);
    };
    if (r.is_wide())
      rows_needed({step.batch, step.first, std::min(step.rows, r.sum_rows)});
    else if (r.recomputed)
      rows_needed(step);
    else
      each_chunk(r, step, true, options_, rows_needed);
  }
  return regions + scratch;
}

}  // namespace espalier
