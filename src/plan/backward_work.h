// A backward plan in the making. Every wanted gradient row gets its region; steps are walked backwards in stretches of
// active rows; then come the parameters.
#pragma once
#include "plan/plan.h"

namespace espalier {

struct BackwardPlanner::Work {
  // backward.cc: which gradients are wanted, and where they live
  void run();
  uint64_t roots(size_t run) const { return own.readers_.roots(run); }
  bool wants_slot(size_t run, size_t j) const {
    const uint64_t bit = layout.runs[run].program->code.slot_root[j];
    return bit != 0 && (roots(run) & bit) != 0;
  }
  bool accumulates(size_t run, size_t buffer) const;
  bool writes(size_t run, size_t buffer) const;
  void take_regions();
  void note_slots();
  static SlotRows in_units(uint64_t offset, uint64_t stride) {
    return {static_cast<uint32_t>(offset / unit), static_cast<uint32_t>(stride / unit)};
  }
  // backward_steps.cc: what the executor is told
  void cut_pieces();
  PlanStep step(const RunStep& piece, uint64_t kernels) const;
  void emit(const RunStep& piece, uint64_t scratch, uint64_t kernels);
  Binding pull(const CellRun& run, const RunStep& piece, const Buffer& buffer, uint64_t region, uint64_t& scratch);
  bool are_only_losses(const CellRun& run, const RunStep& piece, const Buffer& buffer) const;
  void watch(uint32_t v);
  // A part of a value's gradient: appended to the plan's sources.
  void add_source(const Readers::Slot& slot) {
    const SlotRows& rows = own.slots_[slot.input];
    plan.sources.push_back(rows.first + slot.row * rows.stride);
  }
  uint64_t rows_of(const CellRun& run, const RunStep& s, int space) const {
    return layout.first_in(run, space, s.first + s.rows) - layout.first_in(run, space, s.first);
  }
  // backward_epilogue.cc: what runs once after the last step of a run
  uint64_t epilogue(uint32_t number) const;
  void emit_epilogue(uint32_t number);
  // backward_parameters.cc: sums over all steps
  void accumulate(uint32_t number);
  void accumulate_rows(const CellRun& run, const Accumulation& what, const CompiledAccumulation& c,
                       const std::shared_ptr<Slot>& slot, uint32_t begin_call, uint32_t end_call);
  Binding rows_at(const CellRun& run, const RowsOf& rows, uint32_t begin, uint32_t& until) const;

  BackwardPlanner& own;
  const GraphTape& tape;
  const Layout& layout;
  std::span<const uint32_t> losses;
  double scale;
  std::span<const uint32_t> watched;
  const PlanOptions& options;
  Plan& plan;
  uint64_t top = 0;
  uint64_t seed = 0;  // where the gradient of a loss is

  static constexpr uint64_t discarded = nowhere - 1;  // a base: written, never read; each step has it in its scratch
};

}  // namespace espalier
