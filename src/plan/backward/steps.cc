// Emits backward steps: active ranges, bindings, and the sums of readers.
#include <algorithm>

#include "plan/backward/work.h"

namespace espalier {

void BackwardPlanner::Work::find_active_rows() {
  own.active_rows_.clear();
  own.step_active_.clear();
  own.first_active_.assign(layout.batches.size(), ~uint32_t{0});
  for (uint32_t number = 0; number < layout.steps.size(); ++number) {
    const BatchRows& s = layout.steps[number];
    const CellBatch& batch = layout.batches[s.batch];
    own.step_active_.push_back(static_cast<uint32_t>(own.active_rows_.size()));
    if (!gradient_mask(s.batch).any()) continue;
    auto add = [&](const BatchRows& chunk) {
      own.first_active_[s.batch] = std::min(own.first_active_[s.batch], number);
      own.active_rows_.push_back(chunk);
    };
    auto active_in = [&](const BatchRows& rows, auto&& f) {
      own.readers_.each_active_range(
          layout, rows.batch, rows.first, rows.first + rows.rows,
          [&](uint32_t begin, uint32_t end) { f(BatchRows{rows.batch, begin, end - begin}); });
    };
    if (batch.is_wide())  // backward chunks lie within forward chunks
      each_chunk(batch, s, false, options, [&](const BatchRows& chunk) { active_in(chunk, add); });
    else
      active_in(s, [&](const BatchRows& range) { each_chunk(batch, range, true, options, add); });
  }
  own.step_active_.push_back(static_cast<uint32_t>(own.active_rows_.size()));
}

PlanStep BackwardPlanner::Work::step(const BatchRows& active, SaturatingMask kernels) const {
  const CellBatch& batch = layout.batches[active.batch];
  PlanStep out;
  out.program = batch.program;
  out.batch = &batch;
  out.backward = true;
  out.gradient_mask = gradient_mask(active.batch);
  out.kernels = kernels;
  out.first = active.first;
  out.rows = active.rows;
  out.first_binding = static_cast<uint32_t>(plan.bindings.size());
  out.first_gather = static_cast<uint32_t>(plan.gathers.size());
  return out;
}

void BackwardPlanner::Work::emit(const BatchRows& active, uint64_t scratch, SaturatingMask kernels) {
  const CellBatch& batch = layout.batches[active.batch];
  const Code& code = batch.program->code;
  PlanStep out = step(active, kernels);
  for (size_t b = 0; b < code.buffers.size(); ++b) {
    const Buffer& buffer = code.buffers[b];
    const uint32_t first = layout.first_in(batch, buffer.space, active.first);
    Binding bind{no_offset, buffer.stride};
    const uint64_t region = own.bases_[batch.first_base + b], forward = layout.base(batch, static_cast<int>(b));
    if (is_held(b)) {
      bind.offset = held_at(b, first, buffer.stride);
    } else if (buffer.kind == Buffer::Kind::dout) {
      bind = pull(batch, active, buffer, region == no_offset ? no_offset : region + uint64_t{first} * buffer.stride,
                  scratch);
    } else if (buffer.kind == Buffer::Kind::dscratch || region == discarded) {
      bind.offset = scratch;
      scratch = aligned(end_of(scratch, rows_of(batch, active, buffer.space), buffer.stride));
    } else if (buffer.kind == Buffer::Kind::input) {
      const StridedRows p = layout.input_at(batch, static_cast<size_t>(buffer.which), first);
      bind = {p.offset + uint64_t{first - p.first} * p.stride, p.stride};
    } else if (region != no_offset) {
      bind.offset = in_region(batch, b, region, first);
    } else if (buffer.kind != Buffer::Kind::scratch && forward != no_offset) {
      bind.offset = forward + uint64_t{first} * buffer.stride;
    }
    plan.bindings.push_back(bind);
  }
  out.gathers = static_cast<uint32_t>(plan.gathers.size()) - out.first_gather;
  plan.elements = std::max(plan.elements, scratch);
  plan.steps.push_back(out);
}

// The gradient of one output over an active range: in place if each row has one reader and their din rows have a
// constant stride, else summed.
Binding BackwardPlanner::Work::pull(const CellBatch& batch, const BatchRows& active, const Buffer& buffer,
                                    uint64_t region, uint64_t& scratch) {
  if (buffer.size == 0) return {region == no_offset ? scratch : region, buffer.stride};  // rows without elements
  if (region == no_offset && buffer.size == 1 && are_only_losses(batch, active, buffer)) return {seed, 0};
  const auto first_offset = static_cast<uint32_t>(plan.offsets.size());
  const auto first_source = static_cast<uint32_t>(plan.sources.size());
  bool single = true;
  for (uint32_t row = active.first; row < active.first + active.rows; ++row) {
    const uint32_t call = layout.calls[batch.first_call + row];
    const auto before = static_cast<uint32_t>(plan.sources.size());
    plan.offsets.push_back(before);
    own.readers_.each_reader(tape.call[call].first_value + static_cast<uint32_t>(buffer.which),
                             [&](const Readers::Reader& reader) { add_source(reader); });
    single = single && plan.sources.size() == before + 1;
  }
  plan.offsets.push_back(static_cast<uint32_t>(plan.sources.size()));
  if (single) plan.offsets.resize(first_offset);
  if (single && region == no_offset) {
    const uint32_t* src = &plan.sources[first_source];
    const uint64_t least = buffer.stride / unit;
    const uint64_t stride = active.rows > 1 ? uint64_t{src[1]} - src[0] : least;
    bool even = active.rows == 1 || src[1] >= src[0] + least;
    for (uint32_t i = 1; i < active.rows && even; ++i) even = uint64_t{src[i]} - src[i - 1] == stride;
    if (even) {
      const Binding bind{uint64_t{src[0]} * unit, stride * unit};
      plan.sources.resize(first_source);
      return bind;
    }
  }
  uint64_t at = region;
  if (at == no_offset) {
    at = scratch;
    scratch = aligned(end_of(scratch, active.rows, buffer.stride));
  }
  plan.gathers.push_back(
      {single ? first_source : 0, single ? ~uint32_t{0} : first_offset, active.rows, buffer.size, buffer.stride, at});
  return {at, buffer.stride};
}

// Whether the only reader of each row is a loss. All rows then share one gradient: the scale of the losses.
bool BackwardPlanner::Work::are_only_losses(const CellBatch& batch, const BatchRows& active,
                                            const Buffer& buffer) const {
  for (uint32_t row = active.first; row < active.first + active.rows; ++row) {
    const uint32_t call = layout.calls[batch.first_call + row];
    if (!own.readers_.is_only_a_loss(tape.call[call].first_value + static_cast<uint32_t>(buffer.which), layout))
      return false;
  }
  return true;
}

// The gradient of a watched value: the sum of its readers, in a new row. Readers of equal values that share its row are
// excluded.
void BackwardPlanner::Work::watch(uint32_t v) {
  const uint32_t call = tape.value[v].call;
  const auto size = static_cast<uint64_t>(tape.shape(v).size());
  plan.watched.push_back({v, no_offset});
  if (!own.readers_.takes_part(call)) return;  // no loss depends on it
  const auto first_offset = static_cast<uint32_t>(plan.offsets.size());
  plan.offsets.push_back(static_cast<uint32_t>(plan.sources.size()));
  own.readers_.each_reader(tape.source(v), [&](const Readers::Reader& reader) {
    if (Readers::given(tape, layout, losses, reader) == v) add_source(reader);
  });
  plan.offsets.push_back(static_cast<uint32_t>(plan.sources.size()));
  // The scratch of steps starts at `top`, so the row is above all scratch.
  plan.elements = std::max(plan.elements, top);
  const uint64_t at = (plan.elements + unit - 1) / unit * unit;
  plan.elements = at;
  plan.elements = end_of(plan.elements, 1, padded(size));
  plan.watched.back().offset = at;
  plan.final_gathers.push_back({0, first_offset, 1, size, padded(size), at});
}

}  // namespace espalier
