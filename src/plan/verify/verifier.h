// The simulation of a plan. Step by step it notes which rows are written, and checks that every row that is read holds
// the data that the tape asks for. Every failure is an InternalError that names the step, cell, buffer and offset.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "plan/verify/written_rows.h"

namespace espalier {

class Verifier {
 public:
  Verifier(const Plan& plan, const Layout& layout, const GraphTape& tape, std::span<const uint32_t> keep)
      : plan_(plan), layout_(layout), tape_(tape), keep_(keep) {}

  void run();

 private:
  static constexpr uint32_t seed = ~uint32_t{0};  // stands for a cell batch: the gradient of the losses (a Fill)

  // verify.cc: steps, kernels, the end of the plan
  void step(size_t number);
  void check_bindings();
  void kernel(const Kernel& k);
  void fused(const FusedKernel& k);
  bool is_readable(const RowsOf& rows) const;
  void read(const RowsOf& rows);
  bool is_kept_in_layout(size_t buffer) const;
  // Whether the forward plan does not keep the rows of a gathered input or a kept buffer.
  bool is_dropped(const CellBatch& batch, size_t buffer) const {
    return batch.recomputed && layout_.base(batch, static_cast<int>(buffer)) == no_offset;
  }
  void write(const RowsOf& rows, bool has_data = true);
  void count_kernels();
  void check_kernel_counts() const;
  uint32_t batch_of(const PlanStep& s) const { return static_cast<uint32_t>(s.batch - layout_.batches.data()); }
  // Whether the step is a forward step of a backward plan.
  bool recomputes() const { return !step_->backward && batch_of(*step_) < plan_.first_batch; }
  // Whether the rows may be written: below `bottom` are the rows of earlier rounds, of which only deferred ones are not
  // computed yet.
  bool may_write(size_t buffer, uint64_t offset) const {
    return offset >= plan_.bottom || (recomputes() && step_->batch->deferred &&
                                      offset == in_layout(batch_of(*step_), buffer, first_row(buffer), 0).offset);
  }
  uint32_t first_row(size_t buffer) const;
  uint32_t rows_in(size_t buffer) const;
  const Binding& binding(size_t buffer) const { return plan_.bindings[step_->first_binding + buffer]; }
  BufferRows rows_of(size_t buffer) const;
  BufferRows in_layout(uint32_t batch, size_t buffer, uint32_t first, uint32_t rows) const;
  void expect_in_layout(size_t buffer);
  void expect_written(const BufferRows& rows, Columns columns, int64_t reader) const;
  const Gather* next_gather(uint64_t out, uint32_t rows);
  std::string name_of(const BufferRows& row) const;
  [[noreturn]] void fail(int64_t buffer, uint64_t offset, const std::string& why) const;

  // forward.cc: inputs, freed rows
  void gather_inputs();
  void read_in_place(size_t input);
  void expect_value(uint32_t value, uint64_t at, uint64_t size, int64_t buffer) const;
  void free_rows();
  uint8_t& was_freed(const CellBatch& batch, size_t buffer) {
    return freed_[batch.first_base - layout_.batches[start_].first_base + buffer];
  }
  void check_forward_end();
  template <class F>
  void each_input_value(uint32_t batch, size_t input, uint32_t first_call, uint32_t calls, F&& f) const {
    const CellBatch& b = layout_.batches[batch];
    for (uint32_t i = first_call; i < first_call + calls; ++i)
      for (const uint32_t v : tape_.row_values(layout_.calls[b.first_call + i], input)) f(v);
  }

  // backward.cc: gradients of values
  void count_readers();
  void pull_gradients();
  void sum(size_t buffer, const Gather& g);
  void pull_in_place(size_t buffer);
  bool is_seed(uint64_t offset) const;
  struct ReaderOrder {
    uint32_t call = 0;
    size_t input = 0;
    uint32_t item = 0;
    auto operator<=>(const ReaderOrder&) const = default;
  };
  void sum_readers(uint32_t value, std::span<const uint32_t> sources, uint64_t size, int64_t buffer, bool exactly);
  uint32_t reader_at(uint64_t at, uint64_t size, int64_t buffer, ReaderOrder& order) const;
  void final_gathers();

  // accumulations.cc: gradients of parameters
  void count_accumulated_rows();
  void accumulation(const Accumulate& a);
  void check_accumulated_rows() const;
  static bool is_empty(Accumulation::Kind kind, uint64_t dy_size, int n);
  bool fits(const Accumulate& a, uint32_t batch, uint32_t first, size_t which) const;
  bool operand_fits(const Binding& bind, const RowsOf& rows, uint32_t batch, uint32_t first, uint32_t count) const;

  const Plan& plan_;
  const Layout& layout_;
  const GraphTape& tape_;
  std::span<const uint32_t> keep_;
  uint32_t start_ = 0;  // the first batch that the plan touches; vectors per batch start with it
  WrittenRows written_;
  const PlanStep* step_ = nullptr;
  size_t number_ = 0;
  uint32_t gathers_done_ = 0;         // gathers of the step checked so far
  std::vector<uint8_t> is_in_place_;  // per buffer of the step: its rows belong to another buffer and were checked
  std::vector<uint8_t> freed_;        // per buffer of each batch
  std::vector<uint32_t> ran_;         // per kernel of each batch: calls it ran for
  std::vector<uint32_t> first_ran_;   // per batch, in ran_
  std::vector<uint32_t> calls_ran_;   // per batch: calls in steps that are not hoisted
  std::vector<uint32_t> recomputed_;  // per batch: calls in forward steps of a backward plan
  std::vector<uint64_t> to_be_accumulated_;  // per batch: rows, over all its accumulations; counted down
  std::vector<uint32_t> readers_;            // per computed value: number of din rows of its readers
  std::vector<uint32_t> given_;  // the same per recorded value, memoised or not; empty if no value is watched
};

}  // namespace espalier
