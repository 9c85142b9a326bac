#include "plan/readers.h"

#include <algorithm>

namespace espalier {

static bool trained(const Program& p, size_t accumulation) {
  return !p.parameters[static_cast<size_t>(p.accumulations[accumulation].parameter)]->frozen;
}

void Readers::find(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses,
                   std::span<const uint32_t> watched) {
  find_wanting(tape, layout, watched);
  active_rows_.assign(layout.runs.size(), 0);
  roots_.assign(layout.runs.size(), 0);
  first_.assign(tape.values(), none);
  slots_.clear();
  for (uint32_t v : losses)
    if (State& state = state_[tape.value[v].call]; state == wants) state = active;
  for (auto c = static_cast<uint32_t>(layout.place.size()); c-- > 0;)
    if (state_[c] == active) visit(tape, layout, c);
  for (size_t i = losses.size(); i-- > 0;)
    add(tape.source(losses[i]), static_cast<uint32_t>(layout.inputs.size()), static_cast<uint32_t>(i));
  for (size_t r = 0; r < layout.runs.size(); ++r) {
    if (active_rows_[r] == 0) continue;
    const Program& p = *layout.runs[r].program;
    for (size_t a = 0; a < p.accumulations.size(); ++a)
      if (trained(p, a)) roots_[r] |= p.code.accumulation_root[a];
  }
}

void Readers::find_wanting(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> watched) {
  trains_.assign(layout.runs.size(), 0);
  for (size_t r = 0; r < layout.runs.size(); ++r) {
    const Program& p = *layout.runs[r].program;
    for (size_t a = 0; a < p.accumulations.size(); ++a) trains_[r] |= trained(p, a);
  }
  const auto calls = static_cast<uint32_t>(layout.place.size());
  state_.assign(calls, idle);
  for (uint32_t v : watched) state_[tape.value[v].call] = wants;
  for (uint32_t c = 0; c < calls; ++c) {
    if (!layout.ran(c) || state_[c] == wants) continue;
    if (trains_[layout.place[c].run]) {
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

// Slots are put in front of their lists, so that they come out in recording order: calls, inputs and items are walked
// from the last to the first.
void Readers::visit(const GraphTape& tape, const Layout& layout, uint32_t call) {
  const Layout::Place at = layout.place[call];
  const CellRun& run = layout.runs[at.run];
  const Signature& signature = tape.signatures[run.cell];
  const std::vector<uint64_t>& root = run.program->code.slot_root;
  const uint32_t* args = tape.args.data() + tape.call[call].first_arg;
  uint64_t& roots = roots_[at.run];
  ++active_rows_[at.run];
  for (size_t j = root.size(); j-- > 0;) {
    if (root[j] == 0) continue;
    const Signature::Input& in = signature.inputs[j];
    const auto input = run.first_input + static_cast<uint32_t>(j);
    if (!in.of_group) {
      reach(tape, args[in.arg], input, at.row, roots, root[j]);
      continue;
    }
    const GroupRange& group = tape.groups[args[in.arg]];
    const uint32_t* items = tape.items.data() + group.first + in.field * group.count;
    const uint32_t first = layout.first_in(run, run.program->rows[j].space, at.row);
    for (uint32_t i = group.count; i-- > 0;) reach(tape, items[i], input, first + i, roots, root[j]);
  }
}

uint32_t Readers::given(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses,
                        const Slot& slot) {
  if (slot.input == layout.inputs.size()) return losses[slot.row];
  const CellRun& run =
      *std::prev(std::upper_bound(layout.runs.begin(), layout.runs.end(), slot.input,
                                  [](uint32_t input, const CellRun& r) { return input < r.first_input; }));
  const uint32_t j = slot.input - run.first_input;
  const int space = run.program->rows[j].space;
  uint32_t row = slot.row, item = 0;
  if (space != call_space) {
    const auto first = layout.segments.begin() + run.first_segment + (space - 1) * static_cast<int64_t>(run.rows + 1);
    const auto at = std::prev(std::upper_bound(first, first + run.rows, slot.row));
    row = static_cast<uint32_t>(at - first);
    item = slot.row - *at;
  }
  return tape.row_values(layout.calls[run.first_call + row], j)[item];
}

}  // namespace espalier
