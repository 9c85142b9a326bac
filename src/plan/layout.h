// The layout: where every computed row is stored. Plans append to it; later rounds and the backward pass read it. All
// arrays are flat and keep their capacity between minibatches.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "graph/tape.h"

namespace espalier {

constexpr uint64_t no_offset = ~uint64_t{0};

// Rows at a constant stride: row r >= first is at offset + (r - first) * stride, in elements from the start of the
// arena.
struct StridedRows {
  uint32_t first = 0;
  uint64_t stride = 0;
  uint64_t offset = 0;
};

// The calls of one cell in one round; with reuse, in one step. Their rows are contiguous in every buffer.
struct CellBatch {
  uint32_t cell = 0;
  const Program* program = nullptr;
  uint32_t rows = 0;            // number of calls
  uint32_t first_call = 0;      // in Layout::calls
  uint32_t first_base = 0;      // in Layout::bases: one per buffer
  uint32_t first_input = 0;     // in Layout::inputs: one per row input
  uint32_t first_segment = 0;   // in Layout::segments: rows + 1 per group
  uint32_t first_column = 0;    // in Layout::columns: rows per index, then rows per number
  uint32_t first_key = 0;       // in Layout::keys
  SaturatingMask hoisted;       // forward kernels that run once, over all rows, before the first step
  SaturatingMask early_inputs;  // inputs computed before the first step, among those that hoisting depends on
  bool recomputed = false;      // its kept rows are scratch; the backward pass runs its forward kernels again
  bool deferred = false;        // its forward kernels have not run yet: the backward plan runs them
  uint32_t sum_rows = 0;        // of a wide batch: weight gradients are summed over this many rows at a time; 0: all

  bool is_wide() const { return sum_rows > 0; }
};

struct InputPlacement {
  uint32_t first = 0, count = 0;  // in Layout::strided
  uint32_t source = 0;            // if gathered: the first of its sources, in Plan::sources
  bool gathered = false;
};

struct BatchRows {
  uint32_t batch = 0, first = 0, rows = 0;  // rows first … first + rows - 1 of the cell batch
};

struct Layout {
  static constexpr uint32_t pending = ~uint32_t{0};
  struct CallRow {
    uint32_t batch = pending;  // `pending`: the call has not run
    uint32_t row = 0;
  };

  std::vector<CellBatch> batches;
  std::vector<uint32_t> calls;  // per cell batch, in row order
  std::vector<uint64_t> bases;
  std::vector<InputPlacement> inputs;
  std::vector<StridedRows> strided;
  std::vector<uint32_t> segments;
  std::vector<int32_t> columns;
  std::vector<uint64_t> keys;
  std::vector<BatchRows> steps;    // of all rounds, in order of execution
  std::vector<CallRow> call_rows;  // per call
  std::vector<uint32_t> unit_of;   // per value: its offset, in units
  uint64_t top = 0;                // the end of all regions, in elements
  uint32_t rounds = 0;

  bool ran(uint32_t call) const { return call < call_rows.size() && call_rows[call].batch != pending; }
  void clear();
  void truncate(uint32_t calls_left);  // forgets later calls; their rows stay reserved until clear()

  // Undoes a round that failed.
  struct Mark {
    std::array<size_t, 11> sizes{};
    uint64_t top = 0;
    uint32_t rounds = 0;
  };
  Mark mark() const;
  void revert(const Mark& mark, std::span<const uint32_t> planned);  // planned: the calls of that round

  // Rows of the cell batch in a space: its calls, or the items of a group.
  bool recomputes() const;  // whether any cell batch does
  uint32_t rows_in(const CellBatch& batch, int space) const;
  uint32_t first_in(const CellBatch& batch, int space, uint32_t row) const;  // the first row of a call in that space
  uint64_t base(const CellBatch& batch, int buffer) const {
    return bases[batch.first_base + static_cast<uint32_t>(buffer)];
  }
  // The offset of a computed value, in elements.
  uint64_t address(uint32_t value) const { return uint64_t{unit_of[value]} * unit; }
  StridedRows input_at(const CellBatch& batch, size_t input, uint32_t row) const;

 private:
  template <class L>
  static auto arrays(L& l) {
    return std::tie(l.batches, l.calls, l.bases, l.inputs, l.strided, l.segments, l.columns, l.keys, l.steps,
                    l.call_rows, l.unit_of);
  }
};

}  // namespace espalier
