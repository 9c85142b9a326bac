#include "law/program/structure.h"

#include <algorithm>
#include <numeric>

#include "cell/passes.h"
#include "graph/tape.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace espalier::law {
namespace {

bool has_own_slope(const Program& p) {
  return std::any_of(p.nodes.begin(), p.nodes.begin() + p.forward_nodes,
                     [](const Node& n) { return n.kind == Node::Kind::op && n.op->own_slope(n.attrs); });
}

}  // namespace

Verdict structure(const RandomProgram& program, const RandomModel& model, bool& own_slope) {
  Verdict v;
  const auto hold = [&](bool ok, const std::string& law) {
    ++v.laws;
    if (!ok && v.failure.empty()) v.failure = law;
  };
  std::vector<uint64_t> ids(program.examples.size());
  std::iota(ids.begin(), ids.end(), 0u);
  Engine engine({.device = Device::null()});
  const auto batch =
      engine.record(Minibatch{ids, 3}, [&](Graph& g, uint64_t e) { return model.record(g, program.examples[e], e); });
  const GraphTape& tape = batch.shards[0].tape();
  verify(tape);
  for (const auto& cell : tape.cells) {
    verify(*cell);
    own_slope = own_slope || has_own_slope(*cell);
    Program again = parse_program(print(*cell), cell->parameters);
    compile(again);
    hold(print(again) == print(*cell), "print, parse, print: " + str(cell->name));
  }
  std::vector<uint32_t> all(tape.calls());
  std::iota(all.begin(), all.end(), 0u);
  std::array<size_t, 4> steps{};
  std::vector<uint32_t> losses, watched;
  for (const Recorded& r : batch.results) {
    losses.push_back(r.loss.id());
    watched.push_back(r.word.id());
  }
  for (Policy policy : {Policy::none, Policy::depth, Policy::agenda, Policy::automatic}) {
    Schedule s;
    Scheduler().run(tape, all, policy, s);
    verify(s, tape, all);
    steps[static_cast<size_t>(policy)] = s.steps.size();
    for (bool reuse : {false, true}) {
      Layout layout;
      Plan plan;
      const PlanOptions options{.reuse = reuse, .hoist_below = 32};
      ForwardPlanner().plan(tape, s, losses, options, layout, plan);
      verify(plan, layout, tape, losses);
      v.laws += 2;
      if (reuse) continue;
      BackwardPlanner().plan(tape, layout, losses, 1, watched, options, plan);
      verify(plan, layout, tape);
      ++v.laws;
    }
  }
  hold(steps[3] <= steps[1] && steps[3] <= steps[2], "auto takes no more steps than depth and agenda");
  hold(lower_bound(tape, all) <= steps[3], "no schedule is below the lower bound");
  return v;
}

}  // namespace espalier::law
