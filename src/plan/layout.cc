#include "plan/layout.h"

#include <algorithm>

namespace espalier {

void Layout::clear() {
  runs.clear();
  calls.clear();
  bases.clear();
  inputs.clear();
  placed.clear();
  segments.clear();
  columns.clear();
  keys.clear();
  steps.clear();
  place.clear();
  unit_of.clear();
  top = 0;
  rounds = 0;
}

void Layout::truncate(uint32_t calls_left) {
  if (calls_left == 0) return clear();
  if (calls_left >= place.size()) return;
  place.resize(calls_left);
}

Layout::Mark Layout::mark() const {
  return {runs.size(),    calls.size(), bases.size(), inputs.size(), placed.size(), segments.size(),
          columns.size(), keys.size(),  steps.size(), top,           rounds};
}

void Layout::revert(const Mark& mark, std::span<const uint32_t> calls_of_round) {
  runs.resize(mark.runs);
  calls.resize(mark.calls);
  bases.resize(mark.bases);
  inputs.resize(mark.inputs);
  placed.resize(mark.placed);
  segments.resize(mark.segments);
  columns.resize(mark.columns);
  keys.resize(mark.keys);
  steps.resize(mark.steps);
  top = mark.top;
  rounds = mark.rounds;
  for (const uint32_t call : calls_of_round) place[call] = {};
}

uint32_t Layout::rows_in(const CellRun& run, int space) const { return first_in(run, space, run.rows); }

uint32_t Layout::first_in(const CellRun& run, int space, uint32_t row) const {
  if (space <= call_space) return row;
  return segments[run.first_segment + static_cast<uint32_t>(space - 1) * (run.rows + 1) + row];
}

Placed Layout::input_at(const CellRun& run, size_t input, uint32_t row) const {
  const InputPlace& of = inputs[run.first_input + input];
  const auto begin = placed.begin() + of.first, end = begin + of.count;
  const auto after = std::upper_bound(begin, end, row, [](uint32_t r, const Placed& p) { return r < p.first; });
  return *std::prev(after);
}

}  // namespace espalier
