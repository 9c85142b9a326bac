// The work of one forward plan. Every cell of the round gets one region per buffer for all its steps (with reuse, one
// per step). Then every input of every cell is placed: in place if the rows of each step have a constant stride, else
// gathered into a region of its own.
#pragma once
#include "plan/plan.h"

namespace espalier {

struct ForwardPlanner::Work {
  void run();

  // forward.cc: assigns calls to rows
  void make_batches();
  void open_batch(uint32_t cell, uint32_t rows);
  void fill_rows(uint32_t batch, uint32_t first, std::span<const uint32_t> calls);
  void fill_lists(const CellBatch& r);
  void index_steps();
  // keep.cc: training; every row lives until the graph is cleared, unless it is recomputed
  void place_keeping();
  uint64_t place_rows();
  // recompute.cc: which rows the backward pass computes again
  bool is_dropped(const CellBatch& r, size_t buffer) const;
  bool recompute(uint64_t excess);
  uint64_t needed_by_both(uint64_t top);
  uint64_t saved_by_recomputing(size_t batch) const;
  // reuse.cc: inference; the outputs of a step are freed after the last step that reads them
  void place_reusing();
  void find_last_uses(size_t steps);
  void sort_by_last_use(size_t steps);
  void release(const CellBatch& r);
  // inputs.cc: addresses of values, placement of inputs
  void note_values(const CellBatch& r);
  void place_inputs(size_t batch, uint64_t& top);
  uint32_t collect_rows(const CellBatch& r);
  uint32_t collect_items(const CellBatch& r, size_t input);
  bool in_place(size_t batch, const Buffer& buffer, uint32_t first_source);
  // wide.cc: cell batches of losses whose rows are too wide to be kept
  void find_wide();
  uint32_t sum_rows_of(const CellBatch& r) const;
  // hoist.cc: kernels that run once before the first step of a cell batch
  void find_hoisted();
  SaturatingMask early_inputs(size_t batch, SaturatingMask asked) const;
  void place_hoisted(uint64_t& top);
  void emit_hoisted(uint32_t batch);
  // steps.cc: bindings and gathers
  void emit(const BatchRows& step, uint64_t scratch);
  void emit_chunk(const BatchRows& step, uint64_t scratch, bool hoisted = false);
  uint64_t scratch_needed();
  uint64_t scratch_of(const BatchRows& step) const;
  bool is_scratch(const CellBatch& r, size_t buffer) const;
  bool gathered(const CellBatch& r, const Buffer& buffer) const;
  uint64_t rows_of(const CellBatch& r, const BatchRows& step, int space) const;
  void check_limit(uint64_t elements);

  ForwardPlanner& own_;
  const GraphTape& tape_;
  const Schedule& schedule_;
  std::span<const uint32_t> keep_;
  const PlanOptions& options_;
  Layout& layout_;
  Plan& plan_;
  size_t first_batch_ = 0, first_step_ = 0, first_strided_ = 0;
};

}  // namespace espalier
