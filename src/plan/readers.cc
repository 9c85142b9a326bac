#include "plan/readers.h"

#include <algorithm>

namespace espalier {

static bool trained(const Program& p, size_t accumulation) {
  return !p.parameters[static_cast<size_t>(p.accumulations[accumulation].parameter)]->frozen;
}

void Readers::find(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses,
                   std::span<const uint32_t> watched) {
  find_wanting(tape, layout, watched);
  active_.assign(layout.place.size(), 0);
  active_rows_.assign(layout.runs.size(), 0);
  roots_.assign(layout.runs.size(), 0);
  first_.assign(tape.values(), none);
  slots_.clear();
  for (uint32_t v : losses) active_[tape.value[v].call] = wants_[tape.value[v].call];
  for (auto c = static_cast<uint32_t>(layout.place.size()); c-- > 0;)
    if (active_[c]) visit(tape, layout, c);
  for (size_t i = losses.size(); i-- > 0;) add(losses[i], static_cast<uint32_t>(layout.inputs.size()), 0);
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
  wants_.assign(calls, 0);
  for (uint32_t v : watched) wants_[tape.value[v].call] = 1;
  for (uint32_t c = 0; c < calls; ++c) {
    if (!layout.ran(c) || wants_[c]) continue;
    wants_[c] = trains_[layout.place[c].run];
    if (wants_[c]) continue;
    const Program& p = tape.program(c);
    for (size_t j = 0; j < p.rows.size(); ++j)
      if (p.row_gradients[j] >= 0)
        for (uint32_t v : tape.row_values(c, j)) wants_[c] |= wants_[tape.value[v].call];
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

}  // namespace espalier
