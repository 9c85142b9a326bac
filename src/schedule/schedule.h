// A Schedule: an ordered list of steps; a step is one cell and the calls of it that run together. It knows nothing of
// memory and kernels.
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
  std::string_view how;         // the rule that made it: "none", "depth", "agenda", "components" or "cuts"

  void clear();
};

// Makes schedules. Keeps its scratch memory: once warm it does not allocate. One thread at a time.
class Scheduler {
 public:
  // Schedules the calls of one round. `pending`: their ids, ascending. Arguments computed by other calls are there
  // already. O(calls + edges); agenda, and automatic where cells feed each other, + steps · log cells, and automatic
  // there times a constant (cuts). The same tape, calls and policy always give the same schedule.
  void run(const GraphTape& tape, std::span<const uint32_t> pending, Policy policy, Schedule& out);
  // Calls and edges that were looked at so far.
  uint64_t looks() const { return round_.looks + cuts_.looks(); }

 private:
  // Component after component, cut where that helps; or agenda or depth, if fewer steps. Returns the rule that was
  // best.
  std::string_view draft_automatic(const GraphTape& tape, std::span<const uint32_t> pending);

  scheduling::Round round_;
  scheduling::Depth depth_;
  scheduling::Agenda agenda_;
  scheduling::Components components_;
  scheduling::Cuts cuts_;
  scheduling::Placement placement_;
  scheduling::Draft draft_, other_;
};

// No schedule of these calls has fewer steps: the sum over cells of the most calls of that cell on one path.
// O(calls + edges), times the number of cells where cells feed each other.
uint32_t lower_bound(const GraphTape& tape, std::span<const uint32_t> pending);

// One line a step; runs of consecutive calls are written first…last.
std::string print(const Schedule& schedule, const GraphTape& tape);
// Throws InternalError unless every pending call is in exactly one step, of its own cell and after its producers.
void verify(const Schedule& schedule, const GraphTape& tape, std::span<const uint32_t> pending);

}  // namespace espalier
