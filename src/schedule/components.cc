#include <algorithm>

#include "schedule/policies.h"

namespace espalier::scheduling {

// Every component is one cell: its levels are chains of that cell, so the steps are as many as the lower bound.
void Components::one_cell_each(const Round& round, Draft& out) {
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

// Of two drafts that run rank after rank: rank by rank the one with fewer steps, a where they are equal.
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

std::string_view Components::draft(Round& round, const GraphTape& tape, std::span<const uint32_t> pending, Depth& depth,
                                   Agenda& agenda, Draft& out) {
  relation_.clear();
  round.read(tape, pending, [this](uint32_t reader, uint32_t producer) {
    if (reader == producer) return true;
    relation_.note(reader, producer);
    return false;
  });
  relation_.condense(round);
  if (round.ranks == round.cells.size()) {
    one_cell_each(round, out);
    return "components";
  }
  round.list_edges(tape, pending);
  round.level_inside_ranks();
  agenda.draft(round, by_agenda_);
  depth.draft(round, by_depth_);
  best_of_each(round, by_agenda_, by_depth_, out);
  if (round.ranks == 1) return "components";

  round.one_rank();
  round.level_inside_ranks();
  std::string_view best = "components";
  const auto consider = [&](Draft& draft, std::string_view name) {
    if (draft.cells.size() >= out.cells.size()) return;
    std::swap(draft, out);
    best = name;
  };
  agenda.draft(round, by_agenda_);
  consider(by_agenda_, "agenda");
  depth.draft(round, by_depth_);
  consider(by_depth_, "depth");
  return best;
}

}  // namespace espalier::scheduling
