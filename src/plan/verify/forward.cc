// Forward steps: the rows of inputs, in place or gathered; freed rows; values at the end of the plan.
#include <fmt/format.h>

#include "plan/verify/verifier.h"

namespace espalier {

void Verifier::gather_inputs() {
  const Code& code = step_->program->code;
  for (size_t j = 0; j < code.input_buffer.size(); ++j) {
    const auto b = static_cast<size_t>(code.input_buffer[j]);
    const Buffer& buffer = code.buffers[b];
    if (!layout_.inputs[step_->batch->first_input + j].gathered || rows_in(b) == 0) continue;
    if (step_->batch->hoisted.any() && step_->hoisted != step_->batch->early_inputs.test(j)) continue;
    if (recomputes() && !step_->batch->deferred && buffer.inside < 0 && !is_dropped(*step_->batch, b))
      continue;  // gathered by the forward plan
    const Gather* g = next_gather(binding(b).offset, rows_in(b));
    if (g == nullptr) fail(code.input_buffer[j], binding(b).offset, "its rows are not gathered");
    if (g->size != buffer.size || g->stride != binding(b).stride || g->first_offset != ~uint32_t{0})
      fail(code.input_buffer[j], g->out, "its gather has another size or stride, or sums rows");
    if (buffer.inside < 0 && !may_write(b, g->out))
      fail(code.input_buffer[j], g->out, "its gather overwrites rows of an earlier round");
    const uint32_t* source = plan_.sources.data() + g->first_source;
    each_input_value(batch_of(*step_), j, step_->first, step_->rows, [&](uint32_t v) {
      expect_value(v, uint64_t{*source++} * unit, buffer.size, code.input_buffer[j]);
    });
    if (buffer.size == 0) continue;
    if (buffer.inside < 0) {
      written_.write(rows_of(b), {0, buffer.size});
      continue;
    }
    const BufferRows whole = rows_of(static_cast<size_t>(buffer.inside));
    if (whole.offset + buffer.at != g->out || whole.stride != g->stride)
      fail(code.input_buffer[j], g->out, fmt::format("it is not in the rows of buffer {}", buffer.inside));
    if (!may_write(static_cast<size_t>(buffer.inside), whole.offset))
      fail(code.input_buffer[j], g->out, "its gather overwrites rows of an earlier round");
    written_.write(whole, {buffer.at, buffer.at + buffer.size});
  }
}

// Checks that each row of the binding is the value that the tape names.
void Verifier::read_in_place(size_t input) {
  const auto b = static_cast<size_t>(step_->program->code.input_buffer[input]);
  const Binding& bind = binding(b);
  uint64_t at = bind.offset;
  each_input_value(batch_of(*step_), input, step_->first, step_->rows, [&](uint32_t v) {
    expect_value(v, at, step_->program->code.buffers[b].size, static_cast<int64_t>(b));
    at += bind.stride;
  });
  is_in_place_[b] = 1;
}

void Verifier::expect_value(uint32_t value, uint64_t at, uint64_t size, int64_t buffer) const {
  if (size == 0) return;
  const GraphTape::Value& v = tape_.value[value];
  if (!layout_.ran(v.call)) fail(buffer, at, fmt::format("value {} belongs to no round", value));
  const Layout::CallRow& row = layout_.call_rows[v.call];
  const CellBatch& producer = layout_.batches[row.batch];
  const auto output = static_cast<size_t>(producer.program->code.output_buffer[v.output]);
  if (row.batch < plan_.first_batch) {
    if (const BufferRows want = in_layout(row.batch, output, row.row, 1); want.offset != at)
      fail(buffer, at, fmt::format("value {} of an earlier round is at {}", value, want.offset));
    return;
  }
  const uint64_t stride = producer.program->code.buffers[output].stride;
  expect_written({row.batch, static_cast<uint32_t>(output), row.row, 1, at, stride}, {0, size}, buffer);
}

// A freed range is one output region of this plan. Rows that are read later are found missing then.
void Verifier::free_rows() {
  for (uint32_t f = step_->first_freed; f < step_->first_freed + step_->freed; ++f) {
    const Range& range = plan_.freed[f];
    if (range.size == 0) continue;
    const std::optional<BufferRows> row = written_.at(range.offset);
    if (!row || row->batch == seed)
      fail(-1, range.offset, "rows are freed that were not written, or are freed already");
    const CellBatch& batch = layout_.batches[row->batch];
    const Buffer& buffer = batch.program->code.buffers[row->buffer];
    if (buffer.kind != Buffer::Kind::output || row->first != 0 || row->offset != range.offset ||
        range.size != aligned(batch.rows * buffer.stride))
      fail(row->buffer, range.offset, fmt::format("{} elements are freed that are not one output", range.size));
    written_.erase(range.offset, range.offset + range.size);
    was_freed(batch, row->buffer) = 1;
  }
}

// Checks that all rows that outlive the plan are written: all outputs except the freed ones; in training, the rows that
// a backward pass reads; the values to keep.
void Verifier::check_forward_end() {
  for (uint32_t i = plan_.first_batch; i < layout_.batches.size(); ++i) {
    const CellBatch& batch = layout_.batches[i];
    if (batch.deferred) continue;
    const auto& buffers = batch.program->code.buffers;
    for (size_t b = 0; b < buffers.size(); ++b) {
      const bool stays = buffers[b].kind == Buffer::Kind::output
                             ? was_freed(batch, b) == 0
                             : !plan_.infers && !is_dropped(batch, b) &&
                                   (buffers[b].kind == Buffer::Kind::kept ||
                                    (buffers[b].kind == Buffer::Kind::input && buffers[b].inside < 0 &&
                                     layout_.inputs[batch.first_input + buffers[b].which].gathered));
      if (stays)
        expect_written(in_layout(i, b, 0, layout_.rows_in(batch, buffers[b].space)), {0, buffers[b].size},
                       static_cast<int64_t>(b));
    }
  }
  for (const uint32_t v : keep_) {
    if (!layout_.ran(tape_.value[v].call)) continue;  // a call of a later round
    const Layout::CallRow& row = layout_.call_rows[tape_.value[v].call];
    if (row.batch < start_) continue;
    const CellBatch& batch = layout_.batches[row.batch];
    const auto b = static_cast<size_t>(batch.program->code.output_buffer[tape_.value[v].output]);
    if (was_freed(batch, b) != 0)
      fail(static_cast<int64_t>(b), layout_.address(tape_.source(v)),
           fmt::format("value {} of cell '{}' must be kept, but is freed", v, str(batch.program->name)));
  }
}

}  // namespace espalier
