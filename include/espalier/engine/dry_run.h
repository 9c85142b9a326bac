// DryRun: how a graph would run, without computing anything. Engine::explain is its text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/base/policy.h>
#include <espalier/tensor/shape.h>

namespace espalier {

struct DryRun {
  struct Cell {
    std::string name;  // with shapes, attributes or a number if several cells share the name
    size_t calls = 0, steps = 0, largest_step = 0;
    size_t alone = 0;       // steps of a single call
    size_t recomputed = 0;  // calls whose forward kernels the backward pass runs again, to keep the memory limit
    bool wide = false;      // losses that run together with the backward pass, chunk by chunk
    double mean_step() const { return steps == 0 ? 0 : static_cast<double>(calls) / static_cast<double>(steps); }
  };
  struct Input {
    bool gathered = false;  // false: its rows are read in place
    bool list = false;      // variadic: any number of rows per call
    size_t rows = 0;        // rows that the step reads
  };
  struct Step {
    size_t cell = 0, calls = 0;
    std::vector<Input> inputs;
    size_t hoisted = 0;  // calls whose hoisted kernels run just before this step
  };
  struct Gather {
    size_t cell = 0;
    std::string inputs;  // names of inputs with the same shape and reason
    Shape shape;
    size_t rows = 0;
    uint64_t bytes = 0;
    std::string why;
  };
  struct Alone {  // a cell with steps of a single call
    size_t cell = 0;
    std::string why;
  };

  size_t graphs = 0;
  size_t calls = 0, shared_calls = 0;  // shared calls reuse an earlier call, and are not in `calls`
  size_t depth = 0;                    // calls on the longest path
  size_t fewest_steps = 0;             // a lower bound on the steps of every policy
  Policy policy = Policy::automatic;
  std::string how;                                     // the rule that made the schedule: "components", "cuts" …
  std::vector<std::pair<Policy, size_t>> other_steps;  // steps under other policies
  size_t rows = 0;                                     // computed rows
  uint64_t row_bytes = 0, scratch_bytes = 0, gathered_bytes = 0;
  size_t recomputed_calls = 0;  // of all cells
  double recomputed_flops = 0;  // operations of their matrix products, in addition to product_flops
  double product_flops = 0;     // operations of all matrix products of the forward pass
  std::vector<Cell> cells;
  std::vector<Step> steps;  // in order, graph after graph, even if the graphs run in parallel
  std::vector<Gather> gathers;
  std::vector<Alone> alone;

  // Adds another graph: counts and sizes are summed, cells of the same name are merged, depth is the maximum.
  ESPALIER_API DryRun& operator+=(const DryRun& other);
  ESPALIER_API std::string text() const;
};

}  // namespace espalier
