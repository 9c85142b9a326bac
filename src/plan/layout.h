// Where every row lives: what a Plan leaves behind for later rounds and for the backward pass. All arrays are flat and
// keep their memory from minibatch to minibatch.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "graph/tape.h"

namespace espalier {

constexpr uint64_t nowhere = ~uint64_t{0};

// Rows from `first` on: row r at offset + (r - first) * stride, in elements from the arena's base.
struct Placed {
  uint32_t first = 0;
  uint64_t stride = 0;
  uint64_t offset = 0;
};

// One cell's calls of one round (of one step, where rows are reused): their rows are contiguous in every buffer.
struct CellRun {
  uint32_t cell = 0;
  const Program* program = nullptr;
  uint32_t rows = 0;           // calls
  uint32_t first_call = 0;     // in Layout::calls
  uint32_t first_base = 0;     // in Layout::bases: one per buffer
  uint32_t first_input = 0;    // in Layout::inputs: one per row input
  uint32_t first_segment = 0;  // in Layout::segments: rows + 1 per group
  uint32_t first_column = 0;   // in Layout::columns: rows per index, then rows per number
  uint32_t first_key = 0;      // in Layout::keys
  uint64_t prologue = 0;       // forward kernels that run once before its first step, as bits
  uint64_t early = 0;          // row inputs that are all there by then, as bits; none, where nothing is made of it

  bool is_early(size_t input) const { return input < 64 && (early >> input & 1) != 0; }
};

struct InputPlace {
  uint32_t first = 0, count = 0;  // in Layout::placed
  uint32_t source = 0;            // in Plan::sources, where gathered
  bool gathered = false;
};

struct RunStep {
  uint32_t run = 0, first = 0, rows = 0;  // rows first … first + rows - 1 of the run
};

struct Layout {
  static constexpr uint32_t pending = ~uint32_t{0};
  struct Place {
    uint32_t run = pending;  // before the call has run
    uint32_t row = 0;
  };

  std::vector<CellRun> runs;
  std::vector<uint32_t> calls;  // per run, in row order
  std::vector<uint64_t> bases;
  std::vector<InputPlace> inputs;
  std::vector<Placed> placed;
  std::vector<uint32_t> segments;
  std::vector<int32_t> columns;
  std::vector<uint64_t> keys;
  std::vector<RunStep> steps;     // of all rounds
  std::vector<Place> place;       // per call
  std::vector<uint32_t> unit_of;  // per value: where it lives, in units
  uint64_t top = 0;               // elements in use
  uint32_t rounds = 0;

  bool ran(uint32_t call) const { return call < place.size() && place[call].run != pending; }
  void clear();
  void truncate(uint32_t calls_left);  // forgets later calls; their rows stay taken until clear()

  // To undo a round that failed.
  struct Mark {
    std::array<size_t, 11> sizes{};
    uint64_t top = 0;
    uint32_t rounds = 0;
  };
  Mark mark() const;
  void revert(const Mark& mark, std::span<const uint32_t> planned);  // the calls that were planned since

  // Rows of the run in the space of a buffer: calls, or items of a group.
  uint32_t rows_in(const CellRun& run, int space) const;
  uint32_t first_in(const CellRun& run, int space, uint32_t row) const;  // where a call's rows begin in that space
  uint64_t base(const CellRun& run, int buffer) const { return bases[run.first_base + static_cast<uint32_t>(buffer)]; }
  // Where a computed value lives, in elements.
  uint64_t address(uint32_t value) const { return uint64_t{unit_of[value]} * unit; }
  Placed input_at(const CellRun& run, size_t input, uint32_t row) const;

 private:
  template <class L>
  static auto arrays(L& l) {
    return std::tie(l.runs, l.calls, l.bases, l.inputs, l.placed, l.segments, l.columns, l.keys, l.steps, l.place,
                    l.unit_of);
  }
};

}  // namespace espalier
