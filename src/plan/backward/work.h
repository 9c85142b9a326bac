// The work of one backward plan. Every requested gradient gets a region; steps are emitted from the last to the first,
// by active ranges; then the gradients of parameters.
#pragma once
#include "plan/parts.h"
#include "plan/plan.h"

namespace espalier {

struct BackwardPlanner::Work {
  // backward.cc: requested gradients and their regions
  void run();
  SaturatingMask gradient_mask(size_t batch) const { return own.readers_.gradient_mask(batch); }
  bool wants_din(size_t batch, size_t j) const {
    return (gradient_mask(batch) & layout.batches[batch].program->code.din_mask[j]).any();
  }
  bool accumulates(size_t batch, size_t buffer) const;
  bool writes(size_t batch, size_t buffer) const;
  void take_regions();
  void note_din_rows();
  static DinRows in_units(uint64_t offset, uint64_t stride) {
    return {static_cast<uint32_t>(offset / unit), static_cast<uint32_t>(stride / unit)};
  }
  // steps.cc: bindings and sums
  void find_active_rows();
  PlanStep step(const BatchRows& active, SaturatingMask kernels) const;
  void emit(const BatchRows& active, uint64_t scratch, SaturatingMask kernels);
  Binding pull(const CellBatch& batch, const BatchRows& active, const Buffer& buffer, uint64_t region,
               uint64_t& scratch);
  bool are_only_losses(const CellBatch& batch, const BatchRows& active, const Buffer& buffer) const;
  void watch(uint32_t v);
  // Appends the din row of a reader to the plan's sources.
  void add_source(const Readers::Reader& reader) {
    const DinRows& rows = own.din_rows_[reader.input];
    plan.sources.push_back(rows.first + reader.row * rows.stride);
  }
  uint64_t rows_of(const CellBatch& batch, const BatchRows& s, int space) const {
    return layout.first_in(batch, space, s.first + s.rows) - layout.first_in(batch, space, s.first);
  }
  // parts.cc: weight gradients that are summed in parts
  void find_parts();
  void enter_part(const BatchRows& step);
  void sum_part(uint32_t number);
  void sum_rows(std::span<const BatchRows> active);
  bool has_parts(const CellBatch& batch) const { return batch.is_wide() || part_of(batch).capacity > 0; }
  Part& part_of(const CellBatch& batch) const {
    return own.parts_[static_cast<size_t>(&batch - layout.batches.data())];
  }
  // Whether the rows of a buffer live only until their part is summed.
  bool is_in_parts(const CellBatch& batch, size_t buffer) const {
    return has_parts(batch) && is_read_by_sums_only(*batch.program, buffer);
  }
  // The address of a row of a gradient buffer whose region is at `region`. The last row of a part is at the end.
  uint64_t in_region(const CellBatch& batch, size_t buffer, uint64_t region, uint32_t row) const {
    const Part& part = part_of(batch);
    const bool in_part = part.capacity > 0 && is_in_parts(batch, buffer);
    return region +
           uint64_t{in_part ? row + part.capacity - part.end : row} * batch.program->code.buffers[buffer].stride;
  }
  // recompute.cc: forward steps within the backward plan
  void emit_recomputed(size_t step, uint64_t scratch);
  uint64_t hold(const BatchRows& rows, uint64_t scratch, bool summed);
  bool is_dropped(const CellBatch& batch, size_t buffer) const;
  void emit_range(const BatchRows& range, std::span<const BatchRows> active, uint64_t scratch);
  void emit_forward(const BatchRows& rows, uint64_t scratch);
  void gather_input(const CellBatch& batch, size_t input, const BatchRows& rows, const Binding& to);
  bool is_held(size_t buffer) const { return buffer < own.held_.size() && own.held_[buffer].offset != no_offset; }
  uint64_t held_at(size_t buffer, uint32_t row, uint64_t stride) const {
    return own.held_[buffer].offset + uint64_t{row - own.held_[buffer].first} * stride;
  }
  // hoist.cc: kernels that run once after the last backward step of a cell batch
  SaturatingMask hoisted(uint32_t number) const;
  void emit_hoisted(uint32_t number);
  // parameters.cc: sums over all steps
  void accumulate(uint32_t number, std::span<const BatchRows> active, bool in_parts);
  void accumulate_rows(const CellBatch& batch, const Accumulation& what, const CompiledAccumulation& c,
                       const std::shared_ptr<ParameterStorage>& storage, uint32_t begin_call, uint32_t end_call);
  Binding rows_at(const CellBatch& batch, const RowsOf& rows, uint32_t begin, uint32_t& until) const;

  BackwardPlanner& own;
  const GraphTape& tape;
  const Layout& layout;
  std::span<const uint32_t> losses;
  double scale;
  std::span<const uint32_t> watched;
  const PlanOptions& options;
  Plan& plan;
  uint64_t top = 0;
  uint64_t seed = 0;  // the offset of the gradient of the losses

  static constexpr uint64_t discarded =
      no_offset - 1;  // a base without a region: the buffer is written but never read, so each step uses scratch
};

}  // namespace espalier
