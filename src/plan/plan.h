// A Plan: everything an executor needs, as flat arrays: which rows to gather, which programs to run over which rows,
// and what to add up for the parameters. It knows nothing of the user's objects.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plan/free_list.h"
#include "plan/layout.h"
#include "plan/readers.h"
#include "schedule/schedule.h"

namespace espalier {

struct Binding {
  uint64_t offset = nowhere;  // elements
  uint64_t stride = 0;
};

// out[i] = Σ source[k] for k in segment i: the forward gather (one source each) and the backward sum.
struct Gather {
  uint32_t first_source = 0;
  uint32_t first_offset = ~uint32_t{0};  // in Plan::offsets; none: one source per row
  uint32_t rows = 0;
  uint64_t size = 0, stride = 0, out = 0;
};

struct PlanStep {
  const Program* program = nullptr;
  const CellRun* run = nullptr;
  bool backward = false;
  uint64_t roots = 0;               // backward: which gradients are wanted
  uint64_t kernels = ~uint64_t{0};  // which of the program's kernels, as bits; the last stands for all later ones
  uint32_t first = 0, rows = 0;
  uint32_t first_binding = 0;
  uint32_t first_gather = 0, gathers = 0;
  uint32_t first_freed = 0, freed = 0;

  // f(kernel) for all that it runs, in order.
  template <class F>
  void each_kernel(F&& f) const {
    const auto& all = backward ? program->code.backward : program->code.forward;
    for (size_t i = 0; i < all.size(); ++i)
      if ((kernels >> std::min<size_t>(i, 63) & 1) != 0 && (!backward || (all[i].roots & roots) != 0)) f(all[i]);
  }
};

struct Accumulate {
  Accumulation::Kind kind = Accumulation::Kind::sum;
  const std::shared_ptr<Slot>* slot = nullptr;
  uint32_t rows = 0;
  Binding dy, x;
  uint64_t dy_size = 0;
  int m = 1, n = 1;
  const int32_t* index = nullptr;  // table: one per row; null: the literal row
  int literal = -1;
};

struct Fill {
  uint64_t offset = 0;
  double value = 0;
};
struct Range {
  uint64_t offset = 0, size = 0;
};
struct WatchedRow {
  uint32_t value = 0;
  uint64_t offset = 0;
};

struct Plan {
  std::vector<PlanStep> steps;
  std::vector<Binding> bindings;
  std::vector<Gather> gathers;
  std::vector<uint32_t> sources, offsets;  // sources in units of rows' alignment
  std::vector<Fill> fills;                 // before all steps
  std::vector<Range> freed;
  std::vector<Accumulate> accumulations;  // after all steps, in this order
  std::vector<Gather> final_gathers;      // after all steps: gradients of watched values
  std::vector<WatchedRow> watched;
  bool infers = false;                // rows are reused: what is kept for a backward pass is read by none
  uint64_t elements = 0;              // of arena that it needs
  uint64_t regions = 0, scratch = 0;  // thereof

  void clear();
};

struct PlanOptions {
  uint64_t limit_elements = ~uint64_t{0};
  uint64_t row_limit = ~uint64_t{0};  // elements of a row that the device can hold
  bool reuse = false;                 // infer: a row is free after its last reader
  size_t cache_bytes = 0;             // a step runs in portions of rows that fit; 0: as a whole
  uint32_t rows_at_once = 0;          // the size of a portion, if it is not to follow from that
  uint32_t prologue_below = 0;        // rows a step, on average, from which on nothing is done ahead of a recursion
};

// Makes forward plans; keeps its scratch memory from minibatch to minibatch.
class ForwardPlanner {
 public:
  // Plans what was scheduled. Rows of `keep` values outlive the plan even under reuse. Throws DeviceError over the
  // limit, and then leaves the layout as it was.
  void plan(const GraphTape& tape, const Schedule& schedule, std::span<const uint32_t> keep, const PlanOptions& options,
            Layout& layout, Plan& plan);

 private:
  struct Work;
  std::vector<uint32_t> run_of_cell_, count_, filled_, last_use_, freed_after_, expiring_, expiring_first_;
  std::vector<uint32_t> step_of_run_, step_first_;
  FreeList free_;
};

// Scratch memory of the backward planner, kept between minibatches.
class BackwardPlanner {
 public:
  // Gradient of Σ scale · loss over everything that has run. A call takes part only if a loss depends on it and
  // something below it wants a gradient.
  void plan(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses, double scale,
            std::span<const uint32_t> watched, const PlanOptions&, Plan& plan);

 private:
  struct Work;
  struct SlotRows {
    uint32_t first = 0, stride = 0;  // in units
  };
  Readers readers_;
  std::vector<uint64_t> bases_;                           // per buffer of all runs
  std::vector<SlotRows> slots_;                           // per input of all runs, and of the losses
  std::vector<std::pair<uint32_t, uint32_t>> stretches_;  // of a run: rows that take part
  std::vector<RunStep> pieces_;                           // stretches of active rows, in order of execution
  std::vector<uint32_t> first_piece_;                     // of each run
};

std::string print(const Plan& plan);
// Rows are inside the arena, and no two regions that are alive overlap.
void verify(const Plan& plan, const Layout& layout, const GraphTape& tape);

// Calls f with the portions of a step, in order.
void each_portion(const Program& program, const RunStep& step, bool backward, const PlanOptions& options,
                  const std::function<void(const RunStep&)>& f);

// top + rows · stride, in elements. Throws DeviceError where that is more than any memory has.
uint64_t end_of(uint64_t top, uint64_t rows, uint64_t stride);

[[noreturn]] void over_the_limit(uint64_t needed, uint64_t regions, uint64_t limit);

}  // namespace espalier
