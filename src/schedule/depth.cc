// Depth-based batching, as in TensorFlow Fold: Looks et al., "Deep Learning with Dynamic Computation Graphs", ICLR
// 2017.
#include "schedule/policies.h"

namespace espalier::scheduling {

void Depth::draft(const Round& round, Draft& out) {
  round.looks += round.n;
  // Consecutive keys for (rank, level), in order.
  rank_levels_.assign(round.ranks + 1, 0);
  for (const Round::Cell& cell : round.cells)
    rank_levels_[cell.rank + 1] = std::max(rank_levels_[cell.rank + 1], cell.levels);
  for (uint32_t r = 1; r <= round.ranks; ++r) rank_levels_[r] += rank_levels_[r - 1];
  const auto key = [&](uint32_t p) {
    const Round::Call& call = round.calls[p];
    return rank_levels_[round.cells[call.cell].rank] + call.level;
  };
  const uint32_t keys = rank_levels_[round.ranks];

  begin_.assign(keys + 1, 0);
  for (uint32_t p = 0; p < round.n; ++p) ++begin_[key(p) + 1];
  for (uint32_t k = 1; k <= keys; ++k) begin_[k] += begin_[k - 1];
  grow(by_level_, round.n);
  for (uint32_t p = 0; p < round.n; ++p) by_level_[begin_[key(p)]++] = p;

  grow(out.step, round.n);
  out.cells.clear();
  cell_key_.assign(round.cells.size(), Round::none);
  grow(cell_step_, round.cells.size());
  for (uint32_t i = 0; i < round.n; ++i) {
    const uint32_t p = by_level_[i], k = key(p), cell = round.calls[p].cell;
    if (cell_key_[cell] != k) {
      cell_key_[cell] = k;
      cell_step_[cell] = static_cast<uint32_t>(out.cells.size());
      out.cells.push_back(cell);
    }
    out.step[p] = cell_step_[cell];
  }
}

}  // namespace espalier::scheduling
