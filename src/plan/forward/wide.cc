// Wide cell batches: losses over rows that are too wide to be kept for all calls, such as the logits of a large
// vocabulary. Their forward and backward kernels run together, chunk by chunk. The choice depends on the tape and on
// shapes only, so results do not depend on whether a loss was read before the backward pass.
#include <algorithm>

#include "plan/forward/work.h"

namespace espalier {
namespace {

constexpr uint64_t wide_bytes = uint64_t{32} << 20;  // a batch whose kept rows take less is never wide
constexpr uint64_t sum_bytes = uint64_t{12} << 20;   // of the rows that one sum of weight gradients reads
constexpr uint64_t min_sum_rows = 256;               // products over fewer rows run below full speed

bool is_temporary(const Buffer& b) { return b.kind == Buffer::Kind::kept || b.kind == Buffer::Kind::dkept; }

}  // namespace

// The number of rows per sum of weight gradients if the batch is wide, apart from its readers; else 0.
uint32_t ForwardPlanner::Work::sum_rows_of(const CellBatch& r) const {
  const Code& code = r.program->code;
  uint64_t kept = 0, summed = 0;
  for (const Buffer& b : code.buffers) {
    if (b.space > call_space) return 0;
    if (is_temporary(b)) kept += b.stride;
  }
  if (kept == 0) return 0;
  if (options_.chunk_rows > 0) return r.rows > 2 * options_.chunk_rows ? 2 * options_.chunk_rows : 0;
  for (size_t b = 0; b < code.buffers.size(); ++b)
    if (is_temporary(code.buffers[b]) && code.accumulates(b, [](size_t) { return true; }))
      summed += code.buffers[b].stride;
  const uint64_t rows = std::max(min_sum_rows, sum_bytes / sizeof(float) / std::max<uint64_t>(summed, 1));
  const bool wide = options_.cache_bytes > 0 && end_of(0, r.rows, kept) > wide_bytes / sizeof(float);
  return wide && r.rows > rows ? static_cast<uint32_t>(rows) : 0;
}

void ForwardPlanner::Work::find_wide() {
  if (!options_.wide) return;
  bool found = false;
  for (size_t i = first_batch_; i < layout_.batches.size(); ++i) {
    CellBatch& r = layout_.batches[i];
    r.sum_rows = sum_rows_of(r);
    found = found || r.is_wide();
  }
  if (!found) return;
  // Batches whose results are read in this round are not wide.
  for (const uint32_t call : schedule_.order)
    tape_.each_argument(call, [&](uint32_t v) {
      const uint32_t from = layout_.call_rows[tape_.value[v].call].batch;
      if (from >= first_batch_) layout_.batches[from].sum_rows = 0;
    });
  for (size_t i = first_batch_; i < layout_.batches.size(); ++i) {
    CellBatch& r = layout_.batches[i];
    r.recomputed = r.is_wide();
    r.deferred = r.is_wide() && options_.defer;
    plan_.defers = plan_.defers || r.deferred;
  }
}

}  // namespace espalier
