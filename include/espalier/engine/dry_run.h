// DryRun: how a graph would run, found without computing anything. Engine::explain is its text.
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
    std::string name;  // with shapes and attributes, where several cells have that name
    size_t calls = 0, steps = 0, largest_step = 0;
    size_t alone = 0;  // steps of a single call
    double mean_step() const { return steps == 0 ? 0 : static_cast<double>(calls) / static_cast<double>(steps); }
  };
  struct Input {
    bool gathered = false;  // else its rows are read where they are
    bool list = false;      // any number of rows a call
    size_t rows = 0;
  };
  struct Step {
    size_t cell = 0, calls = 0;
    std::vector<Input> inputs;
    size_t prologue = 0;  // calls that something is done for ahead of this step, the first of them
  };
  struct Gather {
    size_t cell = 0;
    std::string inputs;  // those of one shape and reason
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
  size_t calls = 0, shared_calls = 0;  // the latter are not in `calls`: each is an earlier call
  size_t depth = 0;                    // calls on the longest path
  size_t fewest_steps = 0;             // no order has fewer
  Policy policy = Policy::automatic;
  std::string how;                                     // the rule that the policy went by
  std::vector<std::pair<Policy, size_t>> other_steps;  // what other policies would take
  size_t rows = 0;                                     // that are computed
  uint64_t row_bytes = 0, scratch_bytes = 0, gathered_bytes = 0;
  std::vector<Cell> cells;
  std::vector<Step> steps;  // in order; of several graphs one graph after the other, though threads run side by side
  std::vector<Gather> gathers;
  std::vector<Alone> alone;

  // Of several graphs: amounts are added up, cells of one name are one, and depth is that of the deepest.
  ESPALIER_API DryRun& operator+=(const DryRun& other);
  ESPALIER_API std::string text() const;
};

}  // namespace espalier
