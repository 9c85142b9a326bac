// Gradients of parameters: every row that takes part is added once, with the x or the index of the same row.
#include <fmt/format.h>

#include "plan/verify/verifier.h"

namespace espalier {

void Verifier::count_accumulated_rows() {
  to_be_accumulated_.assign(layout_.batches.size(), 0);
  if (plan_.first_batch < layout_.batches.size()) return;  // a forward plan
  for (const PlanStep& s : plan_.steps) {
    if (!s.backward || s.hoisted) continue;
    const Program& p = *s.program;
    for (size_t a = 0; a < p.accumulations.size(); ++a) {
      if (p.parameters[static_cast<size_t>(p.accumulations[a].parameter)]->frozen) continue;
      const CompiledAccumulation& c = p.code.accumulations[a];
      if (is_empty(p.accumulations[a].kind, c.dy.size, c.n)) continue;
      to_be_accumulated_[batch_of(s)] +=
          layout_.first_in(*s.batch, c.space, s.first + s.rows) - layout_.first_in(*s.batch, c.space, s.first);
    }
  }
}

void Verifier::accumulation(const Accumulate& a) {
  if (is_empty(a.kind, a.dy_size, a.n)) return;
  const auto who = [&] { return "the accumulation of " + str((*a.parameter)->name); };
  // At least one operand is in a gradient buffer, whose address determines the batch and the row.
  std::optional<BufferRows> row = written_.at(a.dy.offset);
  if (!row && a.kind == Accumulation::Kind::product) row = written_.at(a.x.offset);
  if (!row || row->batch == seed) fail(-1, a.dy.offset, who() + " reads gradients that were not written");
  const Program& p = *layout_.batches[row->batch].program;
  size_t which = 0;
  while (which < p.accumulations.size() && !fits(a, row->batch, row->first, which)) ++which;
  if (which == p.accumulations.size())
    fail(-1, a.dy.offset,
         fmt::format("{} reads other rows than cell '{}' asks for, or rows that were not written", who(), str(p.name)));
  if (to_be_accumulated_[row->batch] < a.rows)
    fail(-1, a.dy.offset, who() + " adds rows twice, or rows that do not take part");
  to_be_accumulated_[row->batch] -= a.rows;
}

void Verifier::check_accumulated_rows() const {
  for (size_t i = 0; i < to_be_accumulated_.size(); ++i)
    if (to_be_accumulated_[i] != 0)
      fail(-1, 0,
           fmt::format("{} rows of cell '{}' are not added to the gradients of its parameters", to_be_accumulated_[i],
                       str(layout_.batches[i].program->name)));
}

// Whether the rows have no elements: then they have no address, and there is nothing to add.
bool Verifier::is_empty(Accumulation::Kind kind, uint64_t dy_size, int n) {
  return dy_size == 0 || (kind == Accumulation::Kind::product && n == 0);
}

// Whether `a` is accumulation `which` of the batch's cell, over the rows from `first` on.
bool Verifier::fits(const Accumulate& a, uint32_t batch, uint32_t first, size_t which) const {
  const CellBatch& of = layout_.batches[batch];
  const Program& p = *of.program;
  const Accumulation& what = p.accumulations[which];
  const CompiledAccumulation& c = p.code.accumulations[which];
  if (what.kind != a.kind || p.parameters[static_cast<size_t>(what.parameter)] != *a.parameter) return false;
  if (c.dy.size != a.dy_size || !operand_fits(a.dy, c.dy, batch, first, a.rows)) return false;
  if (what.kind == Accumulation::Kind::sum) return true;
  if (what.kind == Accumulation::Kind::product)
    return c.m == a.m && c.n == a.n && operand_fits(a.x, c.x, batch, first, a.rows);
  const Node& index = p.node(what.x);
  if (index.kind == Node::Kind::literal) return a.index == nullptr && a.literal == index.which;
  return a.index == &layout_.columns[of.first_column + static_cast<uint32_t>(index.which) * of.rows + first];
}

bool Verifier::operand_fits(const Binding& bind, const RowsOf& rows, uint32_t batch, uint32_t first,
                            uint32_t count) const {
  const CellBatch& of = layout_.batches[batch];
  const auto b = static_cast<size_t>(rows.which);
  const Buffer& buffer = of.program->code.buffers[b];
  if (buffer.kind == Buffer::Kind::input && !layout_.inputs[of.first_input + buffer.which].gathered) {
    for (uint32_t i = 0; i < count; ++i) {
      const StridedRows p = layout_.input_at(of, static_cast<size_t>(buffer.which), first + i);
      if (bind.offset + i * bind.stride != p.offset + (first + i - p.first) * p.stride + rows.offset) return false;
    }
    return true;
  }
  if (!is_dropped(of, b) && (buffer.kind == Buffer::Kind::input || buffer.kind == Buffer::Kind::output ||
                             buffer.kind == Buffer::Kind::kept)) {
    const BufferRows want = in_layout(batch, b, first, count);
    return bind.offset == want.offset + rows.offset && bind.stride == want.stride;
  }
  return bind.stride == buffer.stride && bind.offset >= rows.offset &&
         !written_.missing({batch, static_cast<uint32_t>(b), first, count, bind.offset - rows.offset, bind.stride},
                           {rows.offset, rows.offset + rows.size});
}

}  // namespace espalier
