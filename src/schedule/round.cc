#include "schedule/round.h"

namespace espalier::scheduling {

void Round::open(const GraphTape& tape, std::span<const uint32_t> pending) {
  n = static_cast<uint32_t>(pending.size());
  contiguous_ = n == 0 || pending[n - 1] - pending[0] == n - 1;
  ++reading_;
  ranks = 1;
  cells.clear();
  fields.clear();
  grow(calls, n);
  grow(first, n);
  grow(cell_number_, tape.cells.size());
  grow(seen_, tape.groups.size());
  if (!contiguous_) grow(call_number_, tape.calls());
}

void Round::add_cell(const GraphTape& tape, uint32_t number) {
  const Program& program = *tape.cells[number];
  const uint32_t groups = static_cast<uint32_t>(program.groups()), first_field = static_cast<uint32_t>(fields.size());
  fields.resize(first_field + groups, 0);
  uint32_t rows = 0;
  for (const RowInput& row : program.rows)
    if (row.space == call_space)
      ++rows;
    else
      ++fields[first_field + static_cast<uint32_t>(row.space) - 1];
  cell_number_[number] = static_cast<uint32_t>(cells.size());
  cells.push_back({number, rows, groups, first_field, 0, 0});
}

void Round::list_edges(const GraphTape& tape, std::span<const uint32_t> pending) {
  grow(first_producer, n + 1);
  producers.clear();
  readers_listed_ = false;
  for (uint32_t p = 0; p < n; ++p) {
    first_producer[p] = static_cast<uint32_t>(producers.size());
    const Cell& cell = cells[calls[p].cell];
    uint32_t last = none;
    const auto edge = [&](uint32_t value) {
      const uint32_t call = tape.value[value].call;
      const uint32_t q = contiguous_ ? number_of<true>(call, pending, p) : number_of<false>(call, pending, p);
      if (q >= p || q == last) return;
      last = q;
      producers.push_back(q);
    };
    const uint32_t* arg = tape.args.data() + tape.call[pending[p]].first_arg;
    for (uint32_t j = 0; j < cell.rows; ++j) edge(*arg++);
    for (uint32_t g = 0; g < cell.groups; ++g, ++arg) {
      const GroupRange& group = tape.groups[*arg];
      const uint32_t items = group.count * fields[cell.first_field + g];
      for (uint32_t i = 0; i < items; ++i) edge(tape.items[group.first + i]);
    }
  }
  first_producer[n] = static_cast<uint32_t>(producers.size());
  looks += n + producers.size();
}

void Round::list_readers() {
  if (readers_listed_) return;
  readers_listed_ = true;
  looks += producers.size();
  grow(first_reader, n + 2);
  std::fill_n(first_reader.begin(), n + 2, 0);
  // Counts are stored at q + 2: after the prefix sums, entry q + 1 is the begin of q's list, and after filling its end.
  for (const uint32_t q : producers) ++first_reader[q + 2];
  for (uint32_t q = 2; q < n + 2; ++q) first_reader[q] += first_reader[q - 1];
  grow(readers, producers.size());
  for (uint32_t p = 0; p < n; ++p)
    for (uint32_t e = first_producer[p]; e < first_producer[p + 1]; ++e) readers[first_reader[producers[e] + 1]++] = p;
}

void Round::take(const Round& whole, std::span<const uint32_t> members) {
  n = static_cast<uint32_t>(members.size());
  ranks = 1;
  readers_listed_ = false;
  cells.clear();
  producers.clear();
  grow(calls, n);
  grow(first_producer, n + 1);
  grow(call_number_, whole.n);
  grow(cell_number_, whole.cells.size());
  for (uint32_t p = 0; p < n; ++p) {
    const uint32_t call = members[p], number = whole.calls[call].cell;
    uint32_t& c = cell_number_[number];
    if (c >= cells.size() || cells[c].number != number) {
      c = static_cast<uint32_t>(cells.size());
      cells.push_back({number, 0, 0, 0, 0, 0});
    }
    uint32_t level = 0;
    first_producer[p] = static_cast<uint32_t>(producers.size());
    for (uint32_t e = whole.first_producer[call]; e < whole.first_producer[call + 1]; ++e) {
      const uint32_t q = number_of<false>(whole.producers[e], members, p);
      if (q == none) continue;
      producers.push_back(q);
      if (calls[q].cell == c) level = std::max(level, calls[q].level + 1);
    }
    calls[p] = {c, level};
    cells[c].levels = std::max(cells[c].levels, level + 1);
    call_number_[call] = p;
  }
  first_producer[n] = static_cast<uint32_t>(producers.size());
  looks += n + producers.size();
}

void Round::level_inside_ranks() {
  looks += n + producers.size();
  for (Cell& cell : cells) cell.levels = 0;
  for (uint32_t p = 0; p < n; ++p) {
    Cell& cell = cells[calls[p].cell];
    uint32_t level = 0;
    for (uint32_t e = first_producer[p]; e < first_producer[p + 1]; ++e) {
      const Call& q = calls[producers[e]];
      if (cells[q.cell].rank == cell.rank) level = std::max(level, q.level + 1);
    }
    calls[p].level = level;
    cell.levels = std::max(cell.levels, level + 1);
  }
}

void Round::one_rank() {
  ranks = 1;
  for (Cell& cell : cells) cell.rank = 0;
}

}  // namespace espalier::scheduling
