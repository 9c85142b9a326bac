// Schedule: an ordered list of steps. A step is one cell and its calls that run together. Independent of kernels.
#pragma once
#include <espalier/base/policy.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/tape.h"
#include "schedule/policies.h"

namespace espalier {

struct Step {
  uint32_t cell;        // in GraphTape::cells
  uint32_t begin, end;  // its calls are order[begin … end)
};

struct Schedule {
  std::vector<Step> steps;
  std::vector<uint32_t> order;  // call ids
  std::string_view how;         // the rule that produced it: "none", "depth", "agenda", "components" or "cuts"

  void clear();
};

// Computes schedules. Reuses its scratch memory: no allocation once warm. Not thread-safe.
class Scheduler {
 public:
  // Schedules the calls of one round: `pending` holds their ids, ascending. Values of all other calls must be computed
  // already. O(calls + edges); for agenda, and for automatic if cells feed each other, plus O(steps · log cells); cuts
  // multiply the cost of automatic by a constant. Deterministic in tape, calls and policy.
  void run(const GraphTape& tape, std::span<const uint32_t> pending, Policy policy, Schedule& out);
  // Calls and edges visited so far.
  uint64_t looks() const { return round_.looks + cuts_.looks(); }

 private:
  // Drafts component by component, with cuts where they save steps; or by agenda or depth if that takes fewer steps.
  // Returns the name of the chosen rule.
  std::string_view draft_automatic(const GraphTape& tape, std::span<const uint32_t> pending);

  scheduling::Round round_;
  scheduling::Depth depth_;
  scheduling::Agenda agenda_;
  scheduling::Components components_;
  scheduling::Cuts cuts_;
  scheduling::Placement placement_;
  scheduling::Draft draft_, other_;
};

// A lower bound for the number of steps of any schedule of these calls: the sum over cells of the maximum number of
// calls of that cell on one path. O(calls + edges); if cells feed each other, times the number of cells.
uint32_t lower_bound(const GraphTape& tape, std::span<const uint32_t> pending);

// One line per step; consecutive calls are written first…last.
std::string print(const Schedule& schedule, const GraphTape& tape);
// InternalError unless every pending call is in exactly one step, of its own cell and after its producers.
void verify(const Schedule& schedule, const GraphTape& tape, std::span<const uint32_t> pending);

}  // namespace espalier
