#include <algorithm>

#include "schedule/policies.h"

namespace espalier::scheduling {

void Components::read(Round& round, const GraphTape& tape, std::span<const uint32_t> pending) {
  relation_.clear();
  round.read(tape, pending, [this](uint32_t reader, uint32_t producer) {
    if (reader == producer) return true;
    relation_.note(reader, producer);
    return false;
  });
  rank(round);
}

void Components::read(Round& round) {
  round.looks += round.n + round.producers.size();
  relation_.clear();
  for (Round::Cell& cell : round.cells) cell.levels = 0;
  for (uint32_t p = 0; p < round.n; ++p) {
    const uint32_t c = round.calls[p].cell;
    uint32_t level = 0;
    for (uint32_t e = round.first_producer[p]; e < round.first_producer[p + 1]; ++e) {
      const Round::Call& q = round.calls[round.producers[e]];
      if (q.cell == c)
        level = std::max(level, q.level + 1);
      else
        relation_.note(c, q.cell);
    }
    round.calls[p].level = level;
    round.cells[c].levels = std::max(round.cells[c].levels, level + 1);
  }
}

uint32_t Components::chains(const Round& round) {
  uint32_t sum = 0;
  for (const Round::Cell& cell : round.cells) sum += cell.levels;
  return sum;
}

void Components::rank(Round& round) { relation_.condense(round); }

// For components of a single cell. Levels are then positions in chains, so the number of steps is the lower bound.
void Components::draft_chains(const Round& round, Draft& out) {
  by_rank_.resize(round.cells.size());
  for (uint32_t c = 0; c < round.cells.size(); ++c) by_rank_[round.cells[c].rank] = c;
  first_step_.resize(round.cells.size());
  out.cells.clear();
  for (const uint32_t c : by_rank_) {
    first_step_[c] = static_cast<uint32_t>(out.cells.size());
    out.cells.resize(out.cells.size() + round.cells[c].levels, c);
  }
  grow(out.step, round.n);
  for (uint32_t p = 0; p < round.n; ++p) out.step[p] = first_step_[round.calls[p].cell] + round.calls[p].level;
}

// Combines two drafts that run rank by rank: for each rank, takes the draft with fewer steps, or `a` if equal.
void Components::best_of_each(const Round& round, const Draft& a, const Draft& b, Draft& out) {
  const auto begins = [&](const Draft& draft, std::vector<uint32_t>& begin) {
    begin.assign(round.ranks + 1, 0);
    for (const uint32_t c : draft.cells) ++begin[round.cells[c].rank + 1];
    for (uint32_t r = 1; r <= round.ranks; ++r) begin[r] += begin[r - 1];
  };
  begins(a, begin_a_);
  begins(b, begin_b_);
  const auto takes_a = [&](uint32_t r) { return begin_a_[r + 1] - begin_a_[r] <= begin_b_[r + 1] - begin_b_[r]; };
  first_step_.resize(round.ranks);
  out.cells.clear();
  for (uint32_t r = 0; r < round.ranks; ++r) {
    first_step_[r] = static_cast<uint32_t>(out.cells.size());
    const Draft& best = takes_a(r) ? a : b;
    const std::vector<uint32_t>& begin = takes_a(r) ? begin_a_ : begin_b_;
    out.cells.insert(out.cells.end(), best.cells.begin() + begin[r], best.cells.begin() + begin[r + 1]);
  }
  grow(out.step, round.n);
  for (uint32_t p = 0; p < round.n; ++p) {
    const uint32_t r = round.cells[round.calls[p].cell].rank;
    out.step[p] = first_step_[r] + (takes_a(r) ? a.step[p] - begin_a_[r] : b.step[p] - begin_b_[r]);
  }
}

// Lower bound for the number of steps. A cell needs a step for each of its calls on one path. If a draft has no more
// steps than that for every cell of a component, it is optimal there (proven_).
uint32_t Components::bound(const Round& round, const Draft& draft) {
  steps_.assign(round.cells.size(), 0);
  for (const uint32_t c : draft.cells) ++steps_[c];
  // Count paths only for cells with more steps than their longest chain. The cells of a component get one lane each.
  lane_.assign(round.cells.size(), Round::none);
  counted_.assign(round.ranks, 0);
  uint32_t most = 0;
  for (uint32_t c = 0; c < round.cells.size(); ++c)
    if (steps_[c] > chains_[c]) {
      lane_[c] = counted_[round.cells[c].rank]++;
      most = std::max(most, lane_[c] + 1);
    }
  grow(counts_, most > 0 ? round.n : 0);
  for (uint32_t first = 0; first < std::min(most, max_counted); first += lanes) count_paths(round, first);
  proven_.assign(round.ranks, true);
  uint32_t sum = 0;
  for (uint32_t c = 0; c < round.cells.size(); ++c) {
    sum += chains_[c];
    if (steps_[c] > chains_[c]) proven_[round.cells[c].rank] = false;
  }
  return sum;
}

// For cells in lanes first … first + lanes - 1, raises chains_ to the maximum number of their calls on one path.
void Components::count_paths(const Round& round, uint32_t first) {
  round.looks += round.n + round.producers.size();
  for (uint32_t p = 0; p < round.n; ++p) {
    const uint32_t cell = round.calls[p].cell, rank = round.cells[cell].rank;
    if (counted_[rank] <= first) continue;
    Counts& own = counts_[p];
    own.fill(0);
    for (uint32_t e = round.first_producer[p]; e < round.first_producer[p + 1]; ++e) {
      const uint32_t q = round.producers[e];
      if (round.cells[round.calls[q].cell].rank != rank) continue;
      for (uint32_t k = 0; k < lanes; ++k) own[k] = std::max(own[k], counts_[q][k]);
    }
    if (const uint32_t k = lane_[cell] - first; k < lanes) chains_[cell] = std::max(chains_[cell], ++own[k]);
  }
}

bool Components::draft_by_agenda(Round& round, Draft& out) {
  chains_.resize(round.cells.size());
  for (size_t c = 0; c < chains_.size(); ++c) chains_[c] = round.cells[c].levels;
  round.list_readers();
  round.level_inside_ranks();
  agenda_.draft(round, out);
  const bool best = bound(round, out) == out.cells.size();
  for (size_t c = 0; c < chains_.size(); ++c) round.cells[c].levels = chains_[c];
  return best;
}

void Components::draft(Round& round, Draft& out) {
  if (one_cell_each(round)) return draft_chains(round, out);
  round.list_readers();
  round.level_inside_ranks();
  agenda_.draft(round, by_agenda_);
  depth_.draft(round, by_depth_);
  best_of_each(round, by_agenda_, by_depth_, out);
}

}  // namespace espalier::scheduling
