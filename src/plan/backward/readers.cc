#include "plan/backward/readers.h"

#include <algorithm>

namespace espalier {

static bool trained(const Program& p, size_t accumulation) {
  return !p.parameters[static_cast<size_t>(p.accumulations[accumulation].parameter)]->frozen;
}

void Readers::find(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses,
                   std::span<const uint32_t> watched) {
  find_wanting(tape, layout, watched);
  active_rows_.assign(layout.batches.size(), 0);
  gradient_masks_.assign(layout.batches.size(), {});
  first_.assign(tape.values(), none);
  readers_.clear();
  for (uint32_t v : losses)
    if (State& state = state_[tape.value[v].call]; state == wants) state = active;
  for (auto c = static_cast<uint32_t>(layout.call_rows.size()); c-- > 0;)
    if (state_[c] == active) visit(tape, layout, c);
  for (size_t i = losses.size(); i-- > 0;)
    add(tape.source(losses[i]), static_cast<uint32_t>(layout.inputs.size()), static_cast<uint32_t>(i));
  for (size_t r = 0; r < layout.batches.size(); ++r) {
    if (active_rows_[r] == 0) continue;
    const Program& p = *layout.batches[r].program;
    for (size_t a = 0; a < p.accumulations.size(); ++a)
      if (trained(p, a)) gradient_masks_[r] |= p.code.accumulation_mask[a];
  }
}

void Readers::find_wanting(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> watched) {
  trains_.assign(layout.batches.size(), 0);
  for (size_t r = 0; r < layout.batches.size(); ++r) {
    const Program& p = *layout.batches[r].program;
    for (size_t a = 0; a < p.accumulations.size(); ++a) trains_[r] |= trained(p, a);
  }
  const auto calls = static_cast<uint32_t>(layout.call_rows.size());
  state_.assign(calls, idle);
  for (uint32_t v : watched) state_[tape.value[v].call] = wants;
  for (uint32_t c = 0; c < calls; ++c) {
    if (!layout.ran(c) || state_[c] == wants) continue;
    if (trains_[layout.call_rows[c].batch]) {
      state_[c] = wants;
      continue;
    }
    const Program& p = tape.program(c);
    for (size_t j = 0; j < p.rows.size(); ++j)
      if (p.row_gradients[j] >= 0)
        for (uint32_t v : tape.row_values(c, j))
          if (state_[tape.value[v].call] == wants) state_[c] = wants;
  }
}

// Readers are prepended to their lists. Calls, inputs and items are visited from the last to the first, so that the
// lists are in recording order.
void Readers::visit(const GraphTape& tape, const Layout& layout, uint32_t call) {
  const Layout::CallRow at = layout.call_rows[call];
  const CellBatch& batch = layout.batches[at.batch];
  const Signature& signature = tape.signatures[batch.cell];
  const std::vector<SaturatingMask>& din_mask = batch.program->code.din_mask;
  const uint32_t* args = tape.args.data() + tape.call[call].first_arg;
  SaturatingMask& gradients = gradient_masks_[at.batch];
  ++active_rows_[at.batch];
  for (size_t j = din_mask.size(); j-- > 0;) {
    if (!din_mask[j].any()) continue;
    const Signature::Input& in = signature.inputs[j];
    const auto input = batch.first_input + static_cast<uint32_t>(j);
    if (!in.of_group) {
      reach(tape, args[in.arg], input, at.row, gradients, din_mask[j]);
      continue;
    }
    const GroupRange& group = tape.groups[args[in.arg]];
    const uint32_t* items = tape.items.data() + group.first + in.field * group.count;
    const uint32_t first = layout.first_in(batch, batch.program->rows[j].space, at.row);
    for (uint32_t i = group.count; i-- > 0;) reach(tape, items[i], input, first + i, gradients, din_mask[j]);
  }
}

uint32_t Readers::given(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses,
                        const Reader& reader) {
  if (reader.input == layout.inputs.size()) return losses[reader.row];
  const CellBatch& batch =
      *std::prev(std::upper_bound(layout.batches.begin(), layout.batches.end(), reader.input,
                                  [](uint32_t input, const CellBatch& r) { return input < r.first_input; }));
  const uint32_t j = reader.input - batch.first_input;
  const int space = batch.program->rows[j].space;
  uint32_t row = reader.row, item = 0;
  if (space != call_space) {
    const auto first =
        layout.segments.begin() + batch.first_segment + (space - 1) * static_cast<int64_t>(batch.rows + 1);
    const auto at = std::prev(std::upper_bound(first, first + batch.rows, reader.row));
    row = static_cast<uint32_t>(at - first);
    item = reader.row - *at;
  }
  return tape.row_values(layout.calls[batch.first_call + row], j)[item];
}

}  // namespace espalier
