// A trial: a graph scheduled and planned anew, from its tape alone, with nothing computed. What a DryRun is found in.
// Where rows are reused, the values that no call reads are kept: they must be the results.
#pragma once
#include <espalier/engine/dry_run.h>

#include "engine/dry_run/labels.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace espalier::detail {

struct Trial {
  Trial(const GraphTape& graph, Policy how, const PlanOptions& options);

  const GraphTape& tape;
  Policy policy;
  std::vector<std::string> labels;  // per cell of the tape
  std::vector<uint32_t> all;        // calls
  Schedule schedule;
  Layout layout;
  Plan plan;
};

// Parts of a DryRun. `cells`: where each cell of the tape is in DryRun::cells.
std::vector<DryRun::Gather> gathers_in(const Trial& trial, const std::vector<size_t>& cells);  // gathers.cc
std::vector<DryRun::Alone> alone_in(const Trial& trial, const std::vector<size_t>& cells);     // alone.cc

DryRun dry_run(const GraphTape& tape, Policy policy, const PlanOptions& options);

}  // namespace espalier::detail
