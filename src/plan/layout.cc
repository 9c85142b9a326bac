#include "plan/layout.h"

#include <algorithm>

namespace espalier {

void Layout::clear() {
  std::apply([](auto&... array) { (array.clear(), ...); }, arrays(*this));
  top = 0;
  rounds = 0;
}

Layout::Mark Layout::mark() const {
  return {std::apply([](auto&... array) { return std::array{array.size()...}; }, arrays(*this)), top, rounds};
}

void Layout::revert(const Mark& m, std::span<const uint32_t> planned) {
  for (const uint32_t call : planned)
    if (call < place.size()) place[call] = {};
  const size_t* size = m.sizes.data();
  std::apply([&](auto&... array) { (array.resize(*size++), ...); }, arrays(*this));
  top = m.top;
  rounds = m.rounds;
}

void Layout::truncate(uint32_t calls_left) {
  if (calls_left == 0) return clear();
  if (calls_left >= place.size()) return;
  place.resize(calls_left);
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
