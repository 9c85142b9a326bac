// Placement for inference: every step is a cell batch, and its outputs are freed after the last step that reads them.
#include "plan/forward/work.h"

namespace espalier {

void ForwardPlanner::Work::place_reusing() {
  const size_t steps = layout_.steps.size() - first_step_;
  find_last_uses(steps);
  sort_by_last_use(steps);
  own_.freed_after_.clear();
  FreeList& free = own_.free_;
  free.start(layout_.top);
  for (size_t s = 0; s < steps; ++s) {
    const BatchRows step = layout_.steps[first_step_ + s];
    const CellBatch& r = layout_.batches[step.batch];
    const auto& buffers = r.program->code.buffers;
    for (size_t b = 0; b < buffers.size(); ++b)
      if (buffers[b].kind == Buffer::Kind::output)
        layout_.bases[r.first_base + b] = free.take(aligned(end_of(0, r.rows, buffers[b].stride)));
    end_of(free.top(), 0, 0);
    note_values(r);
    uint64_t unused = 0;
    place_inputs(step.batch, unused);
    for (uint32_t i = own_.expiring_first_[s]; i < own_.expiring_first_[s + 1]; ++i)
      release(layout_.batches[own_.expiring_[i]]);
    own_.freed_after_.push_back(static_cast<uint32_t>(plan_.freed.size()));
  }
  plan_.regions = free.top();
  check_limit(free.top() + scratch_needed());
  for (size_t s = 0; s < steps; ++s) {
    emit(layout_.steps[first_step_ + s], free.top());
    plan_.steps.back().first_freed = s == 0 ? 0 : own_.freed_after_[s - 1];
    plan_.steps.back().freed = own_.freed_after_[s] - plan_.steps.back().first_freed;
  }
  layout_.top = free.top();
}

void ForwardPlanner::Work::find_last_uses(size_t steps) {
  auto& last_use = own_.last_use_;
  last_use.assign(layout_.batches.size(), 0);
  for (size_t s = 0; s < steps; ++s) last_use[layout_.steps[first_step_ + s].batch] = static_cast<uint32_t>(s);
  for (size_t s = 0; s < steps; ++s) {
    const CellBatch& r = layout_.batches[layout_.steps[first_step_ + s].batch];
    for (const uint32_t call : std::span(layout_.calls).subspan(r.first_call, r.rows))
      tape_.each_argument(
          call, [&](uint32_t v) { last_use[layout_.call_rows[tape_.value[v].call].batch] = static_cast<uint32_t>(s); });
  }
  for (uint32_t v : keep_) last_use[layout_.call_rows[tape_.value[v].call].batch] = Layout::pending;
}

void ForwardPlanner::Work::sort_by_last_use(size_t steps) {
  auto& first = own_.expiring_first_;
  first.assign(steps + 2, 0);
  for (size_t r = first_batch_; r < layout_.batches.size(); ++r)
    if (own_.last_use_[r] != Layout::pending) ++first[own_.last_use_[r] + 2];
  for (size_t s = 2; s < first.size(); ++s) first[s] += first[s - 1];
  own_.expiring_.resize(layout_.batches.size() - first_batch_);
  for (size_t r = first_batch_; r < layout_.batches.size(); ++r)
    if (own_.last_use_[r] != Layout::pending) own_.expiring_[first[own_.last_use_[r] + 1]++] = static_cast<uint32_t>(r);
}

void ForwardPlanner::Work::release(const CellBatch& r) {
  const auto& buffers = r.program->code.buffers;
  for (size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].kind != Buffer::Kind::output) continue;
    const uint64_t size = aligned(end_of(0, r.rows, buffers[b].stride));
    own_.free_.give(layout_.base(r, static_cast<int>(b)), size);
    plan_.freed.push_back({layout_.base(r, static_cast<int>(b)), size});
  }
}

}  // namespace espalier
