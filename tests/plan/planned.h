// Planned: the schedule, layout and plan of a test's graph, for any number of forward rounds and a backward pass.
#pragma once
#include <numeric>
#include <vector>

#include <espalier/espalier.h>
#include "graph/tape.h"
#include "plan/plan.h"

namespace espalier {

class Planned {
 public:
  explicit Planned(const Graph& g) : tape(g.tape()) {}

  const GraphTape& tape;
  Schedule schedule;
  Layout layout;
  Plan plan;  // of the last call of forward() or backward()

  // Plans the calls recorded since the last round.
  Planned& forward(const PlanOptions& options = {}, std::vector<uint32_t> keep = {},
                   Policy policy = Policy::automatic) {
    std::vector<uint32_t> calls(tape.calls() - planned_);
    std::iota(calls.begin(), calls.end(), planned_);
    planned_ = tape.calls();
    Scheduler().run(tape, calls, policy, schedule);
    ForwardPlanner().plan(tape, schedule, keep, options, layout, plan);
    return *this;
  }
  Planned& backward(const std::vector<Expr>& losses, const std::vector<Expr>& watched = {},
                    const PlanOptions& options = {}) {
    BackwardPlanner().plan(tape, layout, ids(losses), 1, ids(watched), options, plan);
    return *this;
  }

  static std::vector<uint32_t> ids(const std::vector<Expr>& values) {
    std::vector<uint32_t> found;
    for (const Expr& x : values) found.push_back(x.id());
    return found;
  }

 private:
  uint32_t planned_ = 0;
};

// An input row of zeros: a plan does not depend on values.
inline Expr row(Graph& g, int size) { return input(g, std::vector<float>(static_cast<size_t>(size)), {size}); }

}  // namespace espalier
