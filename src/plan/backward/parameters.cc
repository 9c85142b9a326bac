// Gradients of parameters: per cell batch and parameter, a sum over the rows of all steps, in one accumulation per
// active range (and per stride of an input in place).
#include <algorithm>

#include "plan/backward/work.h"

namespace espalier {

// The accumulations of a cell batch over the active rows: those that are summed in parts, or the others.
void BackwardPlanner::Work::accumulate(uint32_t number, std::span<const BatchRows> active, bool in_parts) {
  if (!gradient_mask(number).any()) return;
  const CellBatch& batch = layout.batches[number];
  const Program& p = *batch.program;
  for (size_t a = 0; a < p.accumulations.size(); ++a) {
    if (!(gradient_mask(number) & p.code.accumulation_mask[a]).any()) continue;
    const auto& storage = p.parameters[static_cast<size_t>(p.accumulations[a].parameter)];
    const bool of_parts = has_parts(batch) && p.accumulations[a].kind != Accumulation::Kind::table;
    if (storage->frozen || of_parts != in_parts) continue;
    for (const BatchRows& rows : active)
      accumulate_rows(batch, p.accumulations[a], p.code.accumulations[a], storage, rows.first, rows.first + rows.rows);
  }
}

void BackwardPlanner::Work::accumulate_rows(const CellBatch& batch, const Accumulation& what,
                                            const CompiledAccumulation& c,
                                            const std::shared_ptr<ParameterStorage>& storage, uint32_t begin_call,
                                            uint32_t end_call) {
  uint32_t begin = layout.first_in(batch, c.space, begin_call);
  const uint32_t end = layout.first_in(batch, c.space, end_call);
  while (begin < end) {
    uint32_t until = end;
    Accumulate out;
    out.kind = what.kind;
    out.parameter = &storage;
    out.dy = rows_at(batch, c.dy, begin, until);
    if (what.kind == Accumulation::Kind::product) out.x = rows_at(batch, c.x, begin, until);
    out.rows = until - begin;
    out.dy_size = c.dy.size;
    out.m = c.m;
    out.n = c.n;
    if (what.kind == Accumulation::Kind::table) {
      const Node& index = batch.program->node(what.x);
      if (index.kind == Node::Kind::literal)
        out.literal = index.which;
      else
        out.index = &layout.columns[batch.first_column + static_cast<uint32_t>(index.which) * batch.rows + begin];
    }
    plan.accumulations.push_back(out);
    begin = until;
  }
}

// The rows of an operand from `begin` on. Lowers `until` to the next row where an input in place changes its stride.
Binding BackwardPlanner::Work::rows_at(const CellBatch& batch, const RowsOf& rows, uint32_t begin,
                                       uint32_t& until) const {
  ESPALIER_CHECK(rows.kind == RowsOf::Kind::buffer);
  const Buffer& buffer = batch.program->code.buffers[static_cast<size_t>(rows.which)];
  if (is_held(static_cast<size_t>(rows.which)))
    return {held_at(static_cast<size_t>(rows.which), begin, buffer.stride) + rows.offset, buffer.stride};
  if (buffer.kind == Buffer::Kind::input) {
    const auto input = static_cast<size_t>(buffer.which);
    const StridedRows p = layout.input_at(batch, input, begin);
    const InputPlacement& place = layout.inputs[batch.first_input + input];
    for (uint32_t i = place.first; i < place.first + place.count; ++i)
      if (layout.strided[i].first > begin) {
        until = std::min(until, layout.strided[i].first);
        break;
      }
    return {p.offset + uint64_t{begin - p.first} * p.stride + rows.offset, p.stride};
  }
  const auto b = batch.first_base + static_cast<size_t>(rows.which);
  if (own.bases_[b] != no_offset)
    return {in_region(batch, static_cast<size_t>(rows.which), own.bases_[b], begin) + rows.offset, buffer.stride};
  ESPALIER_CHECK(layout.bases[b] != no_offset);
  return {layout.bases[b] + uint64_t{begin} * buffer.stride + rows.offset, buffer.stride};
}

}  // namespace espalier
