// A Plan: the input of an executor, as flat arrays: the rows to gather, the kernels to run over which rows, and the
// sums for the gradients of parameters. It is independent of the user's objects.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/backward/readers.h"
#include "plan/free_list.h"
#include "plan/layout.h"
#include "schedule/schedule.h"

namespace espalier {

struct Binding {
  uint64_t offset = no_offset;  // elements
  uint64_t stride = 0;
};

// out[i] = Σ source[k] for k in segment i: gathers inputs (one source per row) and sums gradients (all readers).
struct Gather {
  uint32_t first_source = 0;             // in Plan::sources; offsets count from here
  uint32_t first_offset = ~uint32_t{0};  // in Plan::offsets; ~0: one source per row
  uint32_t rows = 0;
  uint64_t size = 0, stride = 0, out = 0;
};

struct PlanStep {
  const Program* program = nullptr;
  const CellBatch* batch = nullptr;
  bool backward = false;
  bool hoisted = false;  // runs the hoisted kernels of its cell batch, ahead of its steps (backward: after them)
  SaturatingMask gradient_mask;                    // backward: the requested gradients
  SaturatingMask kernels = SaturatingMask::all();  // which of the program's kernels run
  uint32_t first = 0, rows = 0;
  uint32_t first_binding = 0;
  uint32_t first_gather = 0, gathers = 0;
  uint32_t first_freed = 0, freed = 0;
  uint32_t first_accumulation = 0, accumulations = 0;  // run after the kernels of the step

  // f(kernel) for each kernel that the step runs, in order.
  template <class F>
  void each_kernel(F&& f) const {
    const auto& all = backward ? program->code.backward : program->code.forward;
    for (size_t i = 0; i < all.size(); ++i)
      if (kernels.test(i) && (!backward || (all[i].gradient_mask & gradient_mask).any())) f(all[i]);
  }
};

struct Accumulate {
  Accumulation::Kind kind = Accumulation::Kind::sum;
  const std::shared_ptr<ParameterStorage>* parameter = nullptr;
  uint32_t rows = 0;
  Binding dy, x;
  uint64_t dy_size = 0;
  int m = 1, n = 1;
  const int32_t* index = nullptr;  // table: one index per row; null: `literal` is the index of all rows
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
  std::vector<uint32_t> sources, offsets;  // sources in units (cell/code.h)
  std::vector<Fill> fills;                 // run before all steps
  std::vector<Range> freed;
  std::vector<Accumulate> accumulations;  // of steps, then those that run after all steps, in this order
  uint32_t final_accumulations = 0;       // the first that runs after all steps
  std::vector<Gather> final_gathers;      // run after all steps: gradients of watched values
  std::vector<WatchedRow> watched;
  bool infers = false;                // rows are reused: no backward pass follows
  bool defers = false;                // it leaves wide batches to the backward plan of the round
  uint32_t first_batch = 0;           // the plan computes the batches from this one on; earlier ones have run
  uint64_t bottom = 0;                // elements below hold the rows of earlier rounds, which are only read
  uint64_t elements = 0;              // size of the arena that the plan needs
  uint64_t regions = 0, scratch = 0;  // parts of `elements`

  void clear();

 private:
  template <class P>
  static auto arrays(P& p) {
    return std::tie(p.steps, p.bindings, p.gathers, p.sources, p.offsets, p.fills, p.freed, p.accumulations,
                    p.final_gathers, p.watched);
  }
};

struct PlanOptions {
  uint64_t limit_elements = ~uint64_t{0};
  uint64_t row_limit = ~uint64_t{0};        // maximum elements per row on the device
  bool reuse = false;                       // inference: frees a row after its last reader
  size_t cache_bytes = 0;                   // a step runs in chunks whose rows fit into this many bytes; 0: no chunks
  uint32_t chunk_rows = 0;                  // rows per chunk; 0: computed from cache_bytes
  uint32_t hoist_below = 0;                 // hoist if the mean number of rows per step is below this; 0: never
  bool wide = false;                        // a backward plan may run forward steps, and sum weight gradients in parts
  uint64_t recompute_above = ~uint64_t{0};  // rows are recomputed if both passes need more elements than this
  bool defer = false;                       // the backward plan of the round follows: it runs wide batches
};

// Makes forward plans. Keeps its scratch memory between minibatches.
class ForwardPlanner {
 public:
  // Plans a schedule and appends to the layout. With reuse, the rows of `keep` values are not freed. Throws DeviceError
  // if a limit is exceeded; the layout is then unchanged.
  void plan(const GraphTape& tape, const Schedule& schedule, std::span<const uint32_t> keep, const PlanOptions& options,
            Layout& layout, Plan& plan);

 private:
  struct Work;
  std::vector<uint32_t> batch_of_cell_, count_, filled_, last_use_, freed_after_, expiring_, expiring_first_;
  std::vector<uint32_t> step_of_batch_, step_first_;
  FreeList free_;
};

// Makes backward plans. Keeps its scratch memory between minibatches.
class BackwardPlanner {
 public:
  // The gradient of Σ scale · loss over all calls that have run. A call takes part only if a loss depends on it and it
  // depends on a trained parameter or a watched value.
  void plan(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses, double scale,
            std::span<const uint32_t> watched, const PlanOptions&, Plan& plan);

 private:
  struct Work;
  struct DinRows {
    uint32_t first = 0, stride = 0;  // in units
  };
  Readers readers_;
  std::vector<uint64_t> bases_;         // per buffer of all cell batches
  std::vector<DinRows> din_rows_;       // per input of all cell batches, then one for the losses
  std::vector<BatchRows> ranges_;       // of one cell batch: rows that take part
  std::vector<BatchRows> active_rows_;  // active ranges, in forward order
  std::vector<uint32_t> step_active_;   // per step of the layout: its first one in active_rows_
  std::vector<uint32_t> first_active_;  // per cell batch: its first step with active rows
  struct Part {
    uint32_t capacity = 0;        // rows; 0: the weight gradients are summed over all rows at once
    uint32_t first = 0, end = 0;  // rows of the current part that have run
  };
  std::vector<Part> parts_;  // per cell batch
  struct Held {
    uint64_t offset = no_offset;  // of row `first`
    uint32_t first = 0;
  };
  std::vector<Held> held_;         // per buffer of the batch that is recomputed: the scratch in which its rows stay
  std::vector<BatchRows> chunks_;  // forward chunks of the step that is recomputed
};

std::string print(const Plan& plan, const Layout& layout);
std::string print_step(const Plan& plan, const Layout& layout, size_t step);
// Simulates the plan and throws InternalError, with the step as text, unless every row that is read holds the data that
// the tape asks for: written earlier in the plan or in an earlier round, neither freed nor overwritten since; every
// kernel runs once per row; sums have all readers in recording order; the rows of `keep`, and in training all others,
// outlive the plan. O(rows · log steps).
void verify(const Plan& plan, const Layout& layout, const GraphTape& tape, std::span<const uint32_t> keep = {});

// The number of rows per chunk, except for the last, which has all remaining rows; and the number of chunks.
struct Chunks {
  uint32_t rows = 0, count = 0;
};
Chunks chunks_of(const CellBatch& batch, const BatchRows& step, bool backward, const PlanOptions& options);
// Calls f with the chunks of a step, in order. Chunks of a wide batch are the same forward and backward.
template <class F>
void each_chunk(const CellBatch& batch, const BatchRows& step, bool backward, const PlanOptions& options, F&& f) {
  const Chunks chunks = chunks_of(batch, step, backward, options);
  for (uint32_t i = 0; i < chunks.count; ++i) {
    const uint32_t first = i * chunks.rows;
    f(BatchRows{step.batch, step.first + first, i + 1 == chunks.count ? step.rows - first : chunks.rows});
  }
}

// top + rows · stride, in elements. Throws DeviceError if that exceeds 2^60.
uint64_t end_of(uint64_t top, uint64_t rows, uint64_t stride);

// `recomputes`: rows that can be recomputed are not among those that are needed.
[[noreturn]] void over_the_limit(uint64_t needed, uint64_t regions, uint64_t limit, bool recomputes);

}  // namespace espalier
