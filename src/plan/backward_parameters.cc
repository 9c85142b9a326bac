// The gradients of parameters: per run of a cell one sum over the rows of all steps.
#include <algorithm>

#include "plan/backward_work.h"

namespace espalier {

void BackwardPlanner::Work::accumulate(uint32_t number) {
  if (roots(number) == 0) return;
  const CellRun& run = layout.runs[number];
  const Program& p = *run.program;
  own.stretches_.clear();
  own.readers_.each_stretch(layout, number, 0, run.rows,
                            [&](uint32_t begin, uint32_t end) { own.stretches_.push_back({begin, end}); });
  for (size_t a = 0; a < p.accumulations.size(); ++a) {
    if ((roots(number) & p.code.accumulation_root[a]) == 0) continue;
    const auto& slot = p.parameters[static_cast<size_t>(p.accumulations[a].parameter)];
    if (slot->frozen) continue;
    for (const auto& [begin, end] : own.stretches_)
      accumulate_rows(run, p.accumulations[a], p.code.accumulations[a], slot, begin, end);
  }
}

void BackwardPlanner::Work::accumulate_rows(const CellRun& run, const Accumulation& what, const CompiledAccumulation& c,
                                            const std::shared_ptr<Slot>& slot, uint32_t begin_call, uint32_t end_call) {
  uint32_t begin = layout.first_in(run, c.space, begin_call);
  const uint32_t end = layout.first_in(run, c.space, end_call);
  while (begin < end) {
    uint32_t until = end;
    Accumulate out;
    out.kind = what.kind;
    out.slot = &slot;
    out.dy = rows_at(run, c.dy, begin, until);
    if (what.kind == Accumulation::Kind::product) out.x = rows_at(run, c.x, begin, until);
    out.rows = until - begin;
    out.dy_size = c.dy.size;
    out.m = c.m;
    out.n = c.n;
    if (what.kind == Accumulation::Kind::table) {
      const Node& index = run.program->node(what.x);
      if (index.kind == Node::Kind::literal)
        out.literal = index.which;
      else
        out.index = &layout.columns[run.first_column + static_cast<uint32_t>(index.which) * run.rows + begin];
    }
    plan.accumulations.push_back(out);
    begin = until;
  }
}

// Rows begin … of an operand; an input in place may end earlier than asked.
Binding BackwardPlanner::Work::rows_at(const CellRun& run, const RowsOf& rows, uint32_t begin, uint32_t& until) const {
  ESPALIER_CHECK(rows.kind == RowsOf::Kind::buffer);
  const Buffer& buffer = run.program->code.buffers[static_cast<size_t>(rows.which)];
  if (buffer.kind == Buffer::Kind::input) {
    const auto input = static_cast<size_t>(buffer.which);
    const Placed p = layout.input_at(run, input, begin);
    const InputPlace& place = layout.inputs[run.first_input + input];
    for (uint32_t i = place.first; i < place.first + place.count; ++i)
      if (layout.placed[i].first > begin) {
        until = std::min(until, layout.placed[i].first);
        break;
      }
    return {p.offset + uint64_t{begin - p.first} * p.stride + rows.offset, p.stride};
  }
  const auto b = run.first_base + static_cast<size_t>(rows.which);
  const uint64_t base = own.bases_[b] != nowhere ? own.bases_[b] : layout.bases[b];
  ESPALIER_CHECK(base != nowhere);
  return {base + uint64_t{begin} * buffer.stride + rows.offset, buffer.stride};
}

}  // namespace espalier
