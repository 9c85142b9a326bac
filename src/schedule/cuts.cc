#include <algorithm>
#include <numeric>
#include <utility>

#include "schedule/policies.h"

namespace espalier::scheduling {

// Appends the components of several cells to work_, except ranks for which skips(rank) is true. Call p of `round` is
// members_[first_member + p], or p itself if first_member is none.
template <class Skips>
void Cuts::list_components(const Round& round, uint32_t first_member, uint32_t depth, Skips skips) {
  rank_cells_.assign(round.ranks, 0);
  for (const Round::Cell& cell : round.cells) ++rank_cells_[cell.rank];
  for (uint32_t r = 0; r < round.ranks; ++r)
    if (skips(r)) rank_cells_[r] = 1;
  rank_end_.assign(round.ranks, 0);
  const auto rank_of = [&](uint32_t p) { return round.cells[round.calls[p].cell].rank; };
  for (uint32_t p = 0; p < round.n; ++p) ++rank_end_[rank_of(p)];
  uint32_t end = static_cast<uint32_t>(members_.size());
  for (uint32_t r = 0; r < round.ranks; ++r) {
    if (rank_cells_[r] == 1) continue;
    work_.push_back({end, end + rank_end_[r], depth});
    rank_end_[r] = std::exchange(end, end + rank_end_[r]);
  }
  members_.resize(end);
  for (uint32_t p = 0; p < round.n; ++p) {
    const uint32_t r = rank_of(p);
    if (rank_cells_[r] > 1) members_[rank_end_[r]++] = first_member == Round::none ? p : members_[first_member + p];
  }
}

// Chooses the cells with the shortest chains, then the fewest calls. A candidate needs as many steps as it has calls on
// one path, which may be more than its longest chain. Returns the sum of these differences over the candidates.
uint32_t Cuts::choose_candidates() {
  const std::vector<Round::Cell>& cells = part_.cells;
  calls_.assign(cells.size(), 0);
  for (uint32_t p = 0; p < part_.n; ++p) ++calls_[part_.calls[p].cell];
  chosen_.resize(cells.size());
  std::iota(chosen_.begin(), chosen_.end(), 0u);
  const uint32_t n = static_cast<uint32_t>(std::min<size_t>(cells.size(), candidates));
  std::partial_sort(chosen_.begin(), chosen_.begin() + n, chosen_.end(), [&](uint32_t a, uint32_t b) {
    if (cells[a].levels != cells[b].levels) return cells[a].levels < cells[b].levels;
    return calls_[a] != calls_[b] ? calls_[a] < calls_[b] : a < b;
  });
  chosen_.resize(n);
  candidate_.assign(cells.size(), Round::none);
  for (uint32_t k = 0; k < n; ++k) candidate_[chosen_[k]] = k;

  counted_[to] = counted_[from] = false;
  count(to);
  most_.fill(0);
  for (uint32_t p = 0; p < part_.n; ++p)
    for (uint32_t k = 0; k < candidates; ++k) most_[k] = std::max(most_[k], counts_[to][p][k]);
  uint32_t raised = 0;
  for (uint32_t k = 0; k < n; ++k) raised += most_[k] - cells[chosen_[k]].levels;
  return raised;
}

void Cuts::count(Side side) {
  if (std::exchange(counted_[side], true)) return;
  part_.looks += part_.n + part_.producers.size();
  std::vector<Counts>& counts = counts_[side];
  grow(counts, part_.n);
  const auto at_least = [](Counts& a, const Counts& b) {
    for (uint32_t k = 0; k < candidates; ++k) a[k] = std::max(a[k], b[k]);
  };
  const auto add_own = [&](uint32_t p) {
    const uint32_t k = candidate_[whole_cell_[p]];
    if (k != Round::none) ++counts[p][k];
  };
  const auto each_producer = [&](uint32_t p, auto&& f) {
    for (uint32_t e = part_.first_producer[p]; e < part_.first_producer[p + 1]; ++e) f(part_.producers[e]);
  };
  std::fill_n(counts.begin(), part_.n, Counts{});
  if (side == to)
    for (uint32_t p = 0; p < part_.n; ++p) {
      each_producer(p, [&](uint32_t q) { at_least(counts[p], counts[q]); });
      add_own(p);
    }
  else
    for (uint32_t p = part_.n; p-- > 0;) {
      add_own(p);
      each_producer(p, [&](uint32_t q) { at_least(counts[q], counts[p]); });
    }
}

// Assigns each call of the part to the cell of its stage, and ranks those cells. Returns false, without ranking, if the
// cut needs at least `limit` steps.
bool Cuts::make(const Cut& cut, uint32_t limit, Components& components) {
  count(cut.side);
  const uint32_t k = cut.candidate, most = most_[k];
  part_.cells = whole_cells_;
  part_.ranks = 1;
  for (Round::Cell& cell : part_.cells) cell.levels = most + 1;
  for (uint32_t p = 0; p < part_.n; ++p) {
    const uint32_t calls = counts_[cut.side][p][k];
    part_.calls[p] = {whole_cell_[p], cut.side == to ? calls : most - calls};
  }
  depth_.draft(part_, stages_);  // each step holds the calls of one cell in one stage
  part_.cells.resize(stages_.cells.size());
  for (uint32_t c = 0; c < part_.cells.size(); ++c) part_.cells[c] = whole_cells_[stages_.cells[c]];
  for (uint32_t p = 0; p < part_.n; ++p) part_.calls[p].cell = stages_.step[p];
  components.read(part_);
  if (Components::chains(part_) >= limit) return false;
  components.rank(part_);
  return true;
}

// The number of steps of the part after make(). Estimates components of several cells by agenda only.
uint32_t Cuts::steps() {
  if (Components::one_cell_each(part_)) return Components::chains(part_);
  part_.list_readers();
  part_.level_inside_ranks();
  agenda_.draft(part_, draft_);
  return static_cast<uint32_t>(draft_.cells.size());
}

// The number of steps of the uncut part, by agenda or depth.
uint32_t Cuts::uncut_steps(Components& components) {
  part_.cells = whole_cells_;
  part_.ranks = 1;
  for (uint32_t p = 0; p < part_.n; ++p) part_.calls[p].cell = whole_cell_[p];
  components.draft(part_, draft_);
  return static_cast<uint32_t>(draft_.cells.size());
}

// Cuts the part at the best cell, unless agenda or depth takes fewer steps. Returns the number of steps above `bound`,
// or none if the part stays uncut. Stops at the first cut that reaches the bound.
uint32_t Cuts::cut(uint32_t bound, Components& components) {
  std::array<uint32_t, candidates> order;
  std::iota(order.begin(), order.end(), 0u);
  // Insertion sort: there are few, and std::sort on such a short array causes a false -Warray-bounds with g++ 12.
  const auto before = [&](uint32_t a, uint32_t b) { return most_[a] != most_[b] ? most_[a] < most_[b] : a < b; };
  for (size_t i = 1; i < chosen_.size(); ++i)
    for (size_t k = i; k > 0 && before(order[k], order[k - 1]); --k) std::swap(order[k], order[k - 1]);
  Cut best{};
  uint32_t least = Round::none, uncut = Round::none - 1;
  for (uint32_t i = 0; i < chosen_.size() * sides; ++i) {
    if (i == sides && (uncut = uncut_steps(components)) == bound) return Round::none;
    if (i >= sides && !pays(uint64_t{i} * part_.n, std::min(least, uncut) - bound)) break;
    // `to` is tried first: chains that start together mostly read each other's rows in place.
    const Cut next{order[i / sides], i % sides == 0 ? to : from};
    if (!make(next, std::min(least, uncut + 1), components)) continue;
    const uint32_t n = steps();
    if (n == bound) return 0;
    if (n >= least) continue;
    least = n;
    best = next;
  }
  if (least > uncut) return Round::none;
  make(best, Round::none, components);
  return least - bound;
}

// Copies the split cells of the part into the round.
void Cuts::apply(Round& round, uint32_t first_member) {
  const uint32_t first = static_cast<uint32_t>(round.cells.size());
  for (const Round::Cell& cell : part_.cells) {
    const Round::Cell split = round.cells[cell.number];
    round.cells.push_back(split);
    origin_.push_back(origin_[cell.number]);
  }
  for (uint32_t p = 0; p < part_.n; ++p) round.calls[members_[first_member + p]].cell = first + part_.calls[p].cell;
}

uint32_t Cuts::split(Round& round, Components& components) {
  uint32_t bound = Components::chains(round);
  origin_.resize(round.cells.size());
  std::iota(origin_.begin(), origin_.end(), 0u);
  any_ = false;
  members_.clear();
  work_.clear();
  list_components(round, Round::none, 0, [&](uint32_t rank) { return components.proven(rank); });
  for (size_t i = 0; i < work_.size(); ++i) {
    const Component work = work_[i];
    part_.take(round, std::span(members_).subspan(work.begin, work.end - work.begin));
    whole_cells_ = part_.cells;
    grow(whole_cell_, part_.n);
    for (uint32_t p = 0; p < part_.n; ++p) whole_cell_[p] = part_.calls[p].cell;
    uint32_t known = 0;  // the part's share of `bound`
    for (const Round::Cell& cell : part_.cells) known += work.depth == 0 ? round.cells[cell.number].levels : 0;
    const uint32_t least = std::max(known, Components::chains(part_) + choose_candidates());
    if (work.depth == 0) bound += least - known;
    const uint32_t above = cut(least, components);
    if (above == Round::none) continue;
    any_ = true;
    apply(round, work.begin);
    if (work.depth + 1 < deepest && pays(part_.n, above))
      list_components(part_, work.begin, work.depth + 1, [](uint32_t) { return false; });
  }
  return bound;
}

void Cuts::join(Round& round, Draft& draft) const {
  if (!any_) return;
  uint32_t cells = 0;
  while (cells < origin_.size() && origin_[cells] == cells) ++cells;
  round.cells.resize(cells);
  for (uint32_t p = 0; p < round.n; ++p) round.calls[p].cell = origin_[round.calls[p].cell];
  for (uint32_t& c : draft.cells) c = origin_[c];
}

}  // namespace espalier::scheduling
