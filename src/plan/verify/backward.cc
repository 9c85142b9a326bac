// Backward steps: the gradient of each output is the sum of the din rows of all readers, in recording order.
#include <fmt/format.h>

#include <algorithm>

#include "plan/verify/verifier.h"

namespace espalier {

// Counts, for each value, the din rows of its readers that take part.
void Verifier::count_readers() {
  if (plan_.first_batch < layout_.batches.size()) return;  // a forward plan
  readers_.assign(tape_.values(), 0);
  if (!plan_.watched.empty()) given_.assign(tape_.values(), 0);
  for (const PlanStep& s : plan_.steps) {
    if (s.hoisted) continue;
    const auto& masks = s.program->code.din_mask;
    for (size_t j = 0; j < masks.size(); ++j) {
      if (!(masks[j] & s.gradient_mask).any()) continue;
      each_input_value(batch_of(s), j, s.first, s.rows, [&](uint32_t v) {
        ++readers_[tape_.source(v)];
        if (!given_.empty()) ++given_[v];
      });
    }
  }
}

void Verifier::pull_gradients() {
  const Code& code = step_->program->code;
  for (size_t b = 0; b < code.buffers.size(); ++b) {
    if (code.buffers[b].kind != Buffer::Kind::dout || code.buffers[b].size == 0) continue;
    if (const Gather* g = next_gather(binding(b).offset, step_->rows); g != nullptr)
      sum(b, *g);
    else
      pull_in_place(b);
  }
}

void Verifier::sum(size_t b, const Gather& g) {
  const Buffer& buffer = step_->program->code.buffers[b];
  if (g.size != buffer.size || g.stride != buffer.stride)
    fail(static_cast<int64_t>(b), g.out, "its gather has another size or stride");
  if (g.out < plan_.bottom) fail(static_cast<int64_t>(b), g.out, "its gather overwrites rows of the forward pass");
  for (uint32_t i = 0; i < g.rows; ++i) {
    const uint32_t call = layout_.calls[step_->batch->first_call + step_->first + i];
    const bool single = g.first_offset == ~uint32_t{0};
    const uint32_t begin = g.first_source + (single ? i : plan_.offsets[g.first_offset + i]);
    const uint32_t end = g.first_source + (single ? i + 1 : plan_.offsets[g.first_offset + i + 1]);
    sum_readers(tape_.call[call].first_value + static_cast<uint32_t>(buffer.which),
                std::span(plan_.sources).subspan(begin, end - begin), g.size, static_cast<int64_t>(b), false);
  }
  written_.write(rows_of(b), {0, buffer.size});
}

// In place, each row is the din row of its only reader, or the seed if its only reader is a loss.
void Verifier::pull_in_place(size_t b) {
  const Buffer& buffer = step_->program->code.buffers[b];
  const Binding& bind = binding(b);
  if (bind.offset == no_offset) fail(static_cast<int64_t>(b), 0, "the gradient of an output is not bound");
  for (uint32_t i = 0; i < step_->rows; ++i) {
    const uint32_t call = layout_.calls[step_->batch->first_call + step_->first + i];
    const auto source = static_cast<uint32_t>((bind.offset + i * bind.stride) / unit);
    sum_readers(tape_.call[call].first_value + static_cast<uint32_t>(buffer.which), {&source, 1}, buffer.size,
                static_cast<int64_t>(b), false);
  }
  is_in_place_[b] = 1;
}

bool Verifier::is_seed(uint64_t offset) const {
  const std::optional<BufferRows> row = written_.at(offset);
  return row && row->batch == seed;
}

// Checks that the sources are losses, then each reader of the value once, in recording order. `exactly`: only readers
// that were given this value, not an equal one that shares its rows.
void Verifier::sum_readers(uint32_t value, std::span<const uint32_t> sources, uint64_t size, int64_t buffer,
                           bool exactly) {
  if (size == 0) return;  // rows without elements share their address with other rows
  ReaderOrder order, last;
  uint32_t found = 0;
  for (const uint32_t source : sources) {
    const uint64_t at = uint64_t{source} * unit;
    if (is_seed(at)) {
      if (found > 0 || size != 1) fail(buffer, at, fmt::format("value {} is no loss, or its loss comes late", value));
      continue;
    }
    const uint32_t read = reader_at(at, size, buffer, order);
    if (read != value && (exactly || tape_.source(read) != value))
      fail(buffer, at, fmt::format("the gradient of value {} is added to that of value {}", read, value));
    if (found > 0 && !(last < order))
      fail(buffer, at, fmt::format("the readers of value {} are not summed once each in recording order", value));
    last = order;
    ++found;
  }
  const uint32_t expected = (exactly ? given_ : readers_)[value];
  if (found != expected)
    fail(buffer, 0,
         fmt::format("the gradient of value {} is the sum of {} readers, not of {}", value, expected, found));
}

// The value whose gradient is in this row: an argument of a call that ran earlier in the plan. Sets `order` to the
// position of this argument.
uint32_t Verifier::reader_at(uint64_t at, uint64_t size, int64_t buffer, ReaderOrder& order) const {
  const std::optional<BufferRows> row = written_.at(at);
  if (!row) fail(buffer, at, "a gradient is read that was not written");
  const CellBatch& batch = layout_.batches[row->batch];
  const Code& code = batch.program->code;
  const uint64_t column = at - row->offset;
  for (size_t j = 0; j < code.din_buffer.size(); ++j) {
    if (code.din_buffer[j] != static_cast<int>(row->buffer) || code.din_offset[j] != column) continue;
    expect_written(*row, {column, column + size}, buffer);
    const int space = batch.program->rows[j].space;
    uint32_t call_row = row->first, item = 0;
    if (space != call_space) {
      const auto first = layout_.segments.begin() + batch.first_segment + (space - 1) * int64_t{batch.rows + 1};
      const auto segment = std::prev(std::upper_bound(first, first + batch.rows + 1, row->first));
      call_row = static_cast<uint32_t>(segment - first);
      item = row->first - *segment;
    }
    const uint32_t call = layout_.calls[batch.first_call + call_row];
    order = {call, j, item};
    return tape_.row_values(call, j)[item];
  }
  fail(buffer, at,
       fmt::format("buffer {} of cell '{}' is there, which is the gradient of no input", row->buffer,
                   str(batch.program->name)));
}

// Checks the gradients of watched values, which lie above all rows that steps write.
void Verifier::final_gathers() {
  const Gather* g = plan_.final_gathers.data();
  for (const WatchedRow& w : plan_.watched) {
    if (w.offset == no_offset) continue;
    if (g == plan_.final_gathers.data() + plan_.final_gathers.size() || g->out != w.offset || g->rows != 1)
      fail(-1, w.offset, fmt::format("the gradient of watched value {} is not gathered", w.value));
    if (g->out + g->size > plan_.elements || written_.at(g->out))
      fail(-1, g->out, fmt::format("the gradient of watched value {} overwrites other rows", w.value));
    const uint32_t begin = plan_.offsets[g->first_offset], end = plan_.offsets[g->first_offset + 1];
    sum_readers(w.value, std::span(plan_.sources).subspan(g->first_source + begin, end - begin), g->size, -1, true);
    ++g;
  }
  if (g != plan_.final_gathers.data() + plan_.final_gathers.size())
    fail(-1, g->out, "a gather is for no watched value");
}

}  // namespace espalier
