// DryRunPlan: the schedule and plan of a whole graph as one round, made from its tape alone; nothing is computed. The
// parts of a DryRun are read from it. If rows are reused, values that no call reads are kept as results.
#pragma once
#include <espalier/engine/dry_run.h>

#include "engine/dry_run/labels.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace espalier::detail {

struct DryRunPlan {
  DryRunPlan(const GraphTape& graph, Policy how, const PlanOptions& options);

  const GraphTape& tape;
  Policy policy;
  std::vector<std::string> labels;  // per cell of the tape
  std::vector<uint32_t> all;        // the ids of all calls
  Schedule schedule;
  Layout layout;
  Plan plan;
};

// Parts of a DryRun. `cells`: per cell of the tape, its index in DryRun::cells.
std::vector<DryRun::Gather> gathers_in(const DryRunPlan& planned, const std::vector<size_t>& cells);  // gathers.cc
std::vector<DryRun::Alone> alone_in(const DryRunPlan& planned, const std::vector<size_t>& cells);     // alone.cc

DryRun dry_run(const GraphTape& tape, Policy policy, const PlanOptions& options);

}  // namespace espalier::detail
