// Agenda-based batching, as in DyNet: Neubig et al., "On-the-fly Operation Batching in Dynamic Computation Graphs",
// NeurIPS 2017.
#include "schedule/policies.h"

namespace espalier::scheduling {

bool Agenda::Choice::operator<(const Choice& b) const {
  if (rank != b.rank) return rank > b.rank;
  if (average != b.average) return average > b.average;
  return cell > b.cell;
}

void Agenda::make_ready(const Round& round, uint32_t call) {
  const uint32_t cell = round.calls[call].cell;
  State& state = cells_[cell];
  next_ready_[call] = state.ready;
  if (state.ready == Round::none) {
    // A cell's average changes only when it runs, and a running cell is not in the heap.
    heap_.push_back(
        {round.cells[cell].rank, static_cast<double>(state.level_sum) / static_cast<double>(state.remaining), cell});
    std::push_heap(heap_.begin(), heap_.end());
  }
  state.ready = call;
}

void Agenda::draft(const Round& round, Draft& out) {
  round.looks += round.n + round.producers.size();
  grow(out.step, round.n);
  out.cells.clear();
  grow(waiting_, round.n);
  grow(next_ready_, round.n);
  cells_.assign(round.cells.size(), {});
  heap_.clear();
  for (uint32_t p = 0; p < round.n; ++p) {
    State& state = cells_[round.calls[p].cell];
    state.level_sum += round.calls[p].level;
    ++state.remaining;
    waiting_[p] = round.first_producer[p + 1] - round.first_producer[p];
  }
  for (uint32_t p = 0; p < round.n; ++p)
    if (waiting_[p] == 0) make_ready(round, p);

  while (!heap_.empty()) {
    const uint32_t cell = heap_.front().cell, step = static_cast<uint32_t>(out.cells.size());
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
    out.cells.push_back(cell);
    State& state = cells_[cell];
    const uint32_t ready = state.ready;
    state.ready = Round::none;
    for (uint32_t p = ready; p != Round::none; p = next_ready_[p]) {
      out.step[p] = step;
      state.level_sum -= round.calls[p].level;
      --state.remaining;
    }
    for (uint32_t p = ready, next; p != Round::none; p = next) {
      next = next_ready_[p];
      for (uint32_t e = round.first_reader[p]; e < round.first_reader[p + 1]; ++e)
        if (--waiting_[round.readers[e]] == 0) make_ready(round, round.readers[e]);
    }
  }
}

}  // namespace espalier::scheduling
