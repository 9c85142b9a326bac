// Backward steps, as the executor sees them: stretches of active rows, and where their gradients are pulled from.
#include <algorithm>

#include "plan/backward_work.h"

namespace espalier {

void BackwardPlanner::Work::cut_pieces() {
  own.pieces_.clear();
  own.first_piece_.assign(layout.runs.size(), ~uint32_t{0});
  for (const RunStep& s : layout.steps)
    own.readers_.each_stretch(layout, s.run, s.first, s.first + s.rows, [&](uint32_t begin, uint32_t end) {
      if (roots(s.run) == 0) return;
      each_portion(*layout.runs[s.run].program, {s.run, begin, end - begin}, true, options,
                   [&](const RunStep& portion) {
                     uint32_t& first = own.first_piece_[s.run];
                     first = std::min(first, static_cast<uint32_t>(own.pieces_.size()));
                     own.pieces_.push_back(portion);
                   });
    });
}

PlanStep BackwardPlanner::Work::step(const RunStep& piece, uint64_t kernels) const {
  const CellRun& run = layout.runs[piece.run];
  PlanStep out;
  out.program = run.program;
  out.run = &run;
  out.backward = true;
  out.roots = roots(piece.run);
  out.kernels = kernels;
  out.first = piece.first;
  out.rows = piece.rows;
  out.first_binding = static_cast<uint32_t>(plan.bindings.size());
  out.first_gather = static_cast<uint32_t>(plan.gathers.size());
  return out;
}

void BackwardPlanner::Work::emit(const RunStep& piece, uint64_t scratch, uint64_t kernels) {
  const CellRun& run = layout.runs[piece.run];
  const Code& code = run.program->code;
  PlanStep out = step(piece, kernels);
  for (size_t b = 0; b < code.buffers.size(); ++b) {
    const Buffer& buffer = code.buffers[b];
    const uint32_t first = layout.first_in(run, buffer.space, piece.first);
    Binding bind{nowhere, buffer.stride};
    const uint64_t region = own.bases_[run.first_base + b], forward = layout.base(run, static_cast<int>(b));
    if (buffer.kind == Buffer::Kind::dout) {
      bind = pull(run, piece, buffer, region == nowhere ? nowhere : region + uint64_t{first} * buffer.stride, scratch);
    } else if (buffer.kind == Buffer::Kind::dscratch || region == discarded) {
      bind.offset = scratch;
      scratch = aligned(end_of(scratch, rows_of(run, piece, buffer.space), buffer.stride));
    } else if (buffer.kind == Buffer::Kind::input) {
      const Placed p = layout.input_at(run, static_cast<size_t>(buffer.which), first);
      bind = {p.offset + uint64_t{first - p.first} * p.stride, p.stride};
    } else if (region != nowhere || forward != nowhere) {
      bind.offset = (region != nowhere ? region : forward) + uint64_t{first} * buffer.stride;
    }
    plan.bindings.push_back(bind);
  }
  out.gathers = static_cast<uint32_t>(plan.gathers.size()) - out.first_gather;
  plan.elements = std::max(plan.elements, scratch);
  plan.steps.push_back(out);
}

// The gradient of one output over the rows of a piece: in place where each row has one reader and they lie at one
// stride, else summed.
Binding BackwardPlanner::Work::pull(const CellRun& run, const RunStep& piece, const Buffer& buffer, uint64_t region,
                                    uint64_t& scratch) {
  if (region == nowhere && buffer.size == 1 && are_only_losses(run, piece, buffer)) return {seed, 0};
  const auto first_offset = static_cast<uint32_t>(plan.offsets.size());
  const auto first_source = static_cast<uint32_t>(plan.sources.size());
  bool single = true;
  for (uint32_t row = piece.first; row < piece.first + piece.rows; ++row) {
    const uint32_t call = layout.calls[run.first_call + row];
    const auto before = static_cast<uint32_t>(plan.sources.size());
    plan.offsets.push_back(before);
    own.readers_.each_slot(tape.call[call].first_value + static_cast<uint32_t>(buffer.which),
                           [&](const Readers::Slot& slot) { add_source(slot); });
    single = single && plan.sources.size() == before + 1;
  }
  plan.offsets.push_back(static_cast<uint32_t>(plan.sources.size()));
  if (single) plan.offsets.resize(first_offset);
  if (single && region == nowhere) {
    const uint32_t* src = &plan.sources[first_source];
    const uint64_t least = buffer.stride / unit;
    const uint64_t stride = piece.rows > 1 ? uint64_t{src[1]} - src[0] : least;
    bool even = piece.rows == 1 || src[1] >= src[0] + least;
    for (uint32_t i = 1; i < piece.rows && even; ++i) even = uint64_t{src[i]} - src[i - 1] == stride;
    if (even) {
      const Binding bind{uint64_t{src[0]} * unit, stride * unit};
      plan.sources.resize(first_source);
      return bind;
    }
  }
  uint64_t at = region;
  if (at == nowhere) {
    at = scratch;
    scratch = aligned(end_of(scratch, piece.rows, buffer.stride));
  }
  plan.gathers.push_back(
      {single ? first_source : 0, single ? ~uint32_t{0} : first_offset, piece.rows, buffer.size, buffer.stride, at});
  return {at, buffer.stride};
}

// Then all rows have one gradient, the scale of the losses, and share it.
bool BackwardPlanner::Work::are_only_losses(const CellRun& run, const RunStep& piece, const Buffer& buffer) const {
  for (uint32_t row = piece.first; row < piece.first + piece.rows; ++row) {
    const uint32_t call = layout.calls[run.first_call + row];
    if (!own.readers_.is_only_a_loss(tape.call[call].first_value + static_cast<uint32_t>(buffer.which), layout))
      return false;
  }
  return true;
}

// The gradient of a watched value: the sum of its own readers, in a row of its own. Readers of equal calls, which
// share its rows, are left out.
void BackwardPlanner::Work::watch(uint32_t v) {
  const uint32_t call = tape.value[v].call;
  const auto size = static_cast<uint64_t>(tape.shape(v).size());
  plan.watched.push_back({v, top});
  if (!own.readers_.takes_part(call)) {
    plan.watched.back().offset = nowhere;  // no loss depends on it
    return;
  }
  const auto first_offset = static_cast<uint32_t>(plan.offsets.size());
  plan.offsets.push_back(static_cast<uint32_t>(plan.sources.size()));
  own.readers_.each_slot(tape.source(v), [&](const Readers::Slot& slot) {
    if (Readers::given(tape, layout, losses, slot) == v) add_source(slot);
  });
  plan.offsets.push_back(static_cast<uint32_t>(plan.sources.size()));
  // After every step: scratch of the steps may lie where `top` is, so the row goes above all of it.
  plan.elements = std::max(plan.elements, top);
  const uint64_t at = (plan.elements + unit - 1) / unit * unit;
  plan.elements = at;
  plan.elements = end_of(plan.elements, 1, padded(size));
  plan.watched.back().offset = at;
  plan.final_gathers.push_back({0, first_offset, 1, size, padded(size), at});
}

}  // namespace espalier
