// Round: the input of the policies. The calls to schedule are renumbered 0 … n-1 in recorded order, and cells by first
// use, so that all ids are dense however large the tape is. Namespace scheduling is internal to this component.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/tape.h"

namespace espalier::scheduling {

// A schedule in which the calls of a step are not ordered yet.
struct Draft {
  std::vector<uint32_t> step;   // per call
  std::vector<uint32_t> cells;  // per step
};

// Grows a scratch vector to at least n. Old contents are not cleared: elements must be written before they are read.
template <class T>
void grow(std::vector<T>& v, size_t n) {
  if (v.size() < n) v.resize(n);
}

struct Round {
  static constexpr uint32_t none = ~0u;

  struct Cell {
    uint32_t number;        // in GraphTape::cells
    uint32_t rows, groups;  // arguments of a call: values, then variadic groups
    uint32_t first_field;   // in `fields`: values per item of each group
    uint32_t levels;        // 1 + the highest level of its calls
    uint32_t rank;          // cells of a lower rank run first; set by the policy
  };
  struct Call {
    uint32_t cell;
    uint32_t level;  // maximum number of counted edges on a path to the call
  };

  uint32_t n = 0, ranks = 1;
  mutable uint64_t looks = 0;  // calls and edges visited since construction: the cost of scheduling
  std::vector<Cell> cells;
  std::vector<uint32_t> fields;
  std::vector<Call> calls;      // at least n
  std::vector<uint32_t> first;  // the call of the first pending argument, or none; at least n

  // After list_edges(), the producers of call p are producers[first_producer[p] … first_producer[p + 1]). After
  // list_readers(), the same for its readers. An edge of several arguments may be listed several times, in both lists.
  std::vector<uint32_t> first_producer, producers, first_reader, readers;

  // Numbers calls and cells, sets ranks to 0, and computes levels. An edge counts towards levels if counts(reader's
  // cell, producer's cell) is true; counts is called for every pair of cells with an edge, and may have side effects.
  template <class Counts>
  void read(const GraphTape& tape, std::span<const uint32_t> pending, Counts&& counts);
  void list_edges(const GraphTape& tape, std::span<const uint32_t> pending);
  // Inverts the listed producers; does nothing if the readers are listed already.
  void list_readers();
  // Makes this the sub-round of `members` (ascending) and the edges between them. Cell::number refers to the cells of
  // `whole`; levels count edges between calls of the same cell. `first` is not set. O(their calls + edges).
  void take(const Round& whole, std::span<const uint32_t> members);
  // Recomputes levels, counting the listed edges between cells of equal rank.
  void level_inside_ranks();
  void one_rank();

 private:
  // Cached result of reading a large group, which many calls of one cell often share (attention).
  struct Seen {
    uint64_t reading = 0;
    uint32_t cell = 0, level = 0, first = 0;
  };
  static constexpr uint32_t large_group = 8;  // items; for smaller groups a cache does not pay

  void open(const GraphTape& tape, std::span<const uint32_t> pending);
  void add_cell(const GraphTape& tape, uint32_t number);
  template <bool contiguous, class Counts>
  void read_calls(const GraphTape& tape, std::span<const uint32_t> pending, Counts& counts);
  // The number, in this round, of a call recorded before call p; at least p if the call is not pending.
  template <bool contiguous>
  uint32_t number_of(uint32_t call, std::span<const uint32_t> pending, uint32_t p) const;

  bool contiguous_ = true, readers_listed_ = false;
  uint64_t reading_ = 0;               // number of calls of read()
  std::vector<uint32_t> call_number_;  // by id; valid only if pending[number] is that id, so it is never cleared
  std::vector<uint32_t> cell_number_;  // by id; valid only if cells[number] has that id
  std::vector<Seen> seen_;             // by group
};

template <bool contiguous>
uint32_t Round::number_of(uint32_t call, std::span<const uint32_t> pending, uint32_t p) const {
  if constexpr (contiguous) return call - pending[0];  // wraps around for calls before the round
  const uint32_t q = call_number_[call];
  return q < p && pending[q] == call ? q : none;
}

template <bool contiguous, class Counts>
void Round::read_calls(const GraphTape& tape, std::span<const uint32_t> pending, Counts& counts) {
  for (uint32_t p = 0; p < n; ++p) {
    const uint32_t id = pending[p], number = tape.call[id].cell;
    uint32_t c = cell_number_[number];
    if (c >= cells.size() || cells[c].number != number) [[unlikely]] {
      add_cell(tape, number);
      c = cell_number_[number];
    }
    Cell& cell = cells[c];
    uint32_t level = 0, first_call = none, last = none;
    const auto edge = [&](uint32_t value) {
      const uint32_t q = number_of<contiguous>(tape.value[value].call, pending, p);
      if (q >= p || q == last) return;
      last = q;
      if (first_call == none) first_call = q;
      if (counts(c, calls[q].cell)) level = std::max(level, calls[q].level + 1);
    };
    const uint32_t* arg = tape.args.data() + tape.call[id].first_arg;
    for (uint32_t j = 0; j < cell.rows; ++j) edge(*arg++);
    for (uint32_t g = 0; g < cell.groups; ++g, ++arg) {
      const GroupRange& group = tape.groups[*arg];
      const uint32_t items = group.count * fields[cell.first_field + g];
      const uint32_t* item = tape.items.data() + group.first;
      if (items <= large_group) {
        for (uint32_t i = 0; i < items; ++i) edge(item[i]);
        continue;
      }
      Seen& seen = seen_[*arg];
      if (seen.reading != reading_ || seen.cell != c) {
        const uint32_t level_before = level, first_before = first_call;
        level = 0;
        first_call = last = none;
        for (uint32_t i = 0; i < items; ++i) edge(item[i]);
        seen = {reading_, c, level, first_call};
        level = level_before;
        first_call = first_before;
      }
      level = std::max(level, seen.level);
      if (first_call == none) first_call = seen.first;
    }
    calls[p] = {c, level};
    first[p] = first_call;
    cell.levels = std::max(cell.levels, level + 1);
    if constexpr (!contiguous) call_number_[id] = p;
  }
}

template <class Counts>
void Round::read(const GraphTape& tape, std::span<const uint32_t> pending, Counts&& counts) {
  open(tape, pending);
  looks += n;
  if (contiguous_)
    read_calls<true>(tape, pending, counts);
  else
    read_calls<false>(tape, pending, counts);
}

}  // namespace espalier::scheduling
