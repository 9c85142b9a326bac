#include "schedule/schedule.h"

namespace espalier {
namespace {

using scheduling::Round;

// The maximum number of calls of `cell` on one path. A path that leaves a component never returns to it, so only the
// calls of the component matter.
uint32_t longest_chain(const Round& round, uint32_t cell, std::span<const uint32_t> component,
                       std::vector<uint32_t>& most) {
  uint32_t longest = 0;
  for (const uint32_t p : component) {
    most[p] = 0;
    for (uint32_t e = round.first_producer[p]; e < round.first_producer[p + 1]; ++e) {
      const uint32_t q = round.producers[e];
      if (round.cells[round.calls[q].cell].rank == round.cells[cell].rank) most[p] = std::max(most[p], most[q]);
    }
    most[p] += round.calls[p].cell == cell;
    longest = std::max(longest, most[p]);
  }
  return longest;
}

}  // namespace

uint32_t lower_bound(const GraphTape& tape, std::span<const uint32_t> pending) {
  Round round;
  scheduling::Relation relation;
  relation.clear();
  round.read(tape, pending, [&](uint32_t reader, uint32_t producer) {
    if (reader != producer) relation.note(reader, producer);
    return reader == producer;
  });
  relation.condense(round);
  uint32_t bound = 0;
  if (round.ranks == round.cells.size()) {
    for (const Round::Cell& cell : round.cells) bound += cell.levels;
    return bound;
  }
  round.list_edges(tape, pending);
  std::vector<std::vector<uint32_t>> components(round.ranks);
  for (uint32_t p = 0; p < round.n; ++p) components[round.cells[round.calls[p].cell].rank].push_back(p);
  std::vector<uint32_t> most(round.n);
  for (uint32_t c = 0; c < round.cells.size(); ++c)
    bound += longest_chain(round, c, components[round.cells[c].rank], most);
  return bound;
}

}  // namespace espalier
