#include "schedule/relation.h"

namespace espalier::scheduling {
namespace {

constexpr uint32_t not_visited = 0, closed = ~0u;  // special values of index_; visits are numbered from 1

}  // namespace

void Relation::clear() {
  if (pairs_.size() < slots)
    for (const uint64_t pair : pairs_)
      lately_[slot(static_cast<uint32_t>(pair >> 32), static_cast<uint32_t>(pair))] = nothing;
  else
    lately_.fill(nothing);
  pairs_.clear();
}

void Relation::list_producers(uint32_t cells) {
  first_.assign(cells + 2, 0);
  for (const uint64_t pair : pairs_) ++first_[(pair >> 32) + 2];
  for (uint32_t c = 2; c < cells + 2; ++c) first_[c] += first_[c - 1];
  grow(producers_, pairs_.size());
  for (const uint64_t pair : pairs_) producers_[first_[(pair >> 32) + 1]++] = static_cast<uint32_t>(pair);
}

// Closes a component: all cells opened since `cell`.
void Relation::close(Round& round, uint32_t cell) {
  for (uint32_t member = Round::none; member != cell;) {
    member = open_.back();
    open_.pop_back();
    index_[member] = closed;
    round.cells[member].rank = round.ranks;
  }
  ++round.ranks;
}

// The search goes from readers to producers, so components are closed in topological order.
void Relation::condense(Round& round) {
  const uint32_t cells = static_cast<uint32_t>(round.cells.size());
  list_producers(cells);
  index_.assign(cells, not_visited);
  grow(low_, cells);
  round.ranks = 0;
  uint32_t visited = 0;
  const auto visit = [&](uint32_t cell) {
    index_[cell] = low_[cell] = ++visited;
    open_.push_back(cell);
    visits_.push_back({cell, first_[cell]});
  };
  for (uint32_t root = 0; root < cells; ++root) {
    if (index_[root] != not_visited) continue;
    visit(root);
    while (!visits_.empty()) {
      const uint32_t cell = visits_.back().cell;
      if (visits_.back().edge < first_[cell + 1]) {
        const uint32_t producer = producers_[visits_.back().edge++];
        if (index_[producer] == not_visited)
          visit(producer);
        else if (index_[producer] != closed)
          low_[cell] = std::min(low_[cell], index_[producer]);
        continue;
      }
      visits_.pop_back();
      if (!visits_.empty()) {
        uint32_t& low = low_[visits_.back().cell];
        low = std::min(low, low_[cell]);
      }
      if (low_[cell] == index_[cell]) close(round, cell);
    }
  }
}

}  // namespace espalier::scheduling
