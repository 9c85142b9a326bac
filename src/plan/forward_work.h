// A forward plan in the making. Every cell of the round gets one region per buffer over all its steps (one per step,
// where rows are reused); then every (cell, input) is placed: in place where the rows of each step lie at a constant
// stride, else gathered into a region of its own.
#pragma once
#include "plan/plan.h"

namespace espalier {

struct ForwardPlanner::Work {
  void run();

  // forward.cc: which calls make which rows
  void make_runs();
  void open_run(uint32_t cell, uint32_t rows);
  void fill_rows(uint32_t run, uint32_t first, std::span<const uint32_t> calls);
  void fill_lists(const CellRun& r);
  void index_steps();
  // forward_keep.cc: training; every row lives until the graph is cleared
  void place_keeping();
  // forward_reuse.cc: inference; a step's outputs are freed after the last step that reads them
  void place_reusing();
  void find_last_uses(size_t steps);
  void sort_by_last_use(size_t steps);
  void release(const CellRun& r);
  // forward_inputs.cc: where rows are, and where those of an input come from
  void note_values(const CellRun& r);
  void place_inputs(size_t run, uint64_t& top);
  uint32_t collect_rows(const CellRun& r);
  uint32_t collect_items(const CellRun& r, size_t input);
  bool in_place(size_t run, const Buffer& buffer, uint32_t first_source);
  // forward_prologue.cc: what runs once before the first step of a run
  void find_prologues();
  uint64_t early_inputs(size_t run, uint64_t asked) const;
  void place_prologues(uint64_t& top);
  void emit_prologue(uint32_t run);
  // forward_steps.cc: what the executor is told
  void emit(const RunStep& step, uint64_t scratch);
  void emit_portion(const RunStep& step, uint64_t scratch, bool prologue = false);
  uint64_t scratch_needed();
  uint64_t scratch_of(const RunStep& step) const;
  bool is_scratch(const CellRun& r, size_t buffer) const;
  bool gathered(const CellRun& r, const Buffer& buffer) const;
  uint64_t rows_of(const CellRun& r, const RunStep& step, int space) const;
  void check_limit(uint64_t elements);

  ForwardPlanner& own_;
  const GraphTape& tape_;
  const Schedule& schedule_;
  std::span<const uint32_t> keep_;
  const PlanOptions& options_;
  Layout& layout_;
  Plan& plan_;
  size_t first_run_ = 0, first_step_ = 0;
};

}  // namespace espalier
