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
    if (call < call_rows.size()) call_rows[call] = {};
  const size_t* size = m.sizes.data();
  std::apply([&](auto&... array) { (array.resize(*size++), ...); }, arrays(*this));
  top = m.top;
  rounds = m.rounds;
}

void Layout::truncate(uint32_t calls_left) {
  if (calls_left == 0) return clear();
  if (calls_left >= call_rows.size()) return;
  call_rows.resize(calls_left);
}

bool Layout::recomputes() const {
  return std::any_of(batches.begin(), batches.end(), [](const CellBatch& b) { return b.recomputed; });
}

uint32_t Layout::rows_in(const CellBatch& batch, int space) const { return first_in(batch, space, batch.rows); }

uint32_t Layout::first_in(const CellBatch& batch, int space, uint32_t row) const {
  if (space <= call_space) return row;
  return segments[batch.first_segment + static_cast<uint32_t>(space - 1) * (batch.rows + 1) + row];
}

StridedRows Layout::input_at(const CellBatch& batch, size_t input, uint32_t row) const {
  const InputPlacement& of = inputs[batch.first_input + input];
  const auto begin = strided.begin() + of.first, end = begin + of.count;
  const auto after = std::upper_bound(begin, end, row, [](uint32_t r, const StridedRows& p) { return r < p.first; });
  return *std::prev(after);
}

}  // namespace espalier
