#include <espalier/engine/dry_run.h>

#include <algorithm>

#include "engine/dry_run/dry_run_plan.h"
#include "op/kernel/product.h"

namespace espalier {
namespace detail {
namespace {

std::vector<DryRun::Step> steps_in(const DryRunPlan& t, const std::vector<size_t>& cells) {
  std::vector<DryRun::Step> steps;
  steps.reserve(t.layout.steps.size());
  for (const BatchRows& step : t.layout.steps) {
    const CellBatch& batch = t.layout.batches[step.batch];
    DryRun::Step s{cells[batch.cell], step.rows, {}, step.first == 0 && batch.hoisted.any() ? batch.rows : 0};
    for (size_t j = 0; j < batch.program->rows.size(); ++j) {
      const int space = batch.program->rows[j].space;
      s.inputs.push_back(
          {t.layout.inputs[batch.first_input + j].gathered, space != call_space,
           t.layout.first_in(batch, space, step.first + step.rows) - t.layout.first_in(batch, space, step.first)});
    }
    steps.push_back(std::move(s));
  }
  return steps;
}

// Calls on the longest path.
size_t depth_of(const GraphTape& tape) {
  std::vector<uint32_t> depth(tape.calls());
  uint32_t deepest = 0;
  for (uint32_t c = 0; c < tape.calls(); ++c) {
    tape.each_argument(c, [&](uint32_t v) { depth[c] = std::max(depth[c], depth[tape.value[v].call]); });
    deepest = std::max(deepest, ++depth[c]);
  }
  return deepest;
}

// Lists the cells that have calls, in the order of the tape; returns the index of each cell of the tape in `to`.
std::vector<size_t> list_cells(const DryRunPlan& t, std::vector<DryRun::Cell>& to) {
  std::vector<size_t> place(t.tape.cells.size());
  for (size_t c = 0; c < place.size(); ++c) {
    place[c] = to.size();
    if (!t.labels[c].empty()) to.push_back({t.labels[c]});
  }
  for (const espalier::Step& s : t.schedule.steps) {
    DryRun::Cell& cell = to[place[s.cell]];
    const size_t calls = s.end - s.begin;
    ++cell.steps;
    cell.calls += calls;
    cell.alone += calls == 1;
    cell.largest_step = std::max(cell.largest_step, calls);
  }
  return place;
}

// Counts the products, and the calls that the backward pass runs again.
void count_recomputed(const DryRunPlan& t, const std::vector<size_t>& cells, DryRun& r) {
  for (const CellBatch& batch : t.layout.batches) {
    double flops = 0;
    for (const Kernel& k : batch.program->code.forward)
      if (k.kind == Kernel::Kind::op && multiplies_matrices(k.op))
        flops += static_cast<double>(t.layout.rows_in(batch, k.space)) * k.op->flops(k.attrs, k.in_shapes, k.out_shape);
    r.product_flops += flops;
    DryRun::Cell& cell = r.cells[cells[batch.cell]];
    cell.wide = cell.wide || batch.is_wide();
    if (!batch.recomputed || batch.is_wide()) continue;
    cell.recomputed += batch.rows;
    r.recomputed_calls += batch.rows;
    r.recomputed_flops += flops;
  }
}

// Values that no call reads.
std::vector<uint32_t> results_in(const GraphTape& tape) {
  std::vector<uint8_t> read(tape.values());
  for (uint32_t c = 0; c < tape.calls(); ++c) tape.each_argument(c, [&](uint32_t v) { read[tape.source(v)] = 1; });
  std::vector<uint32_t> results;
  for (uint32_t v = 0; v < tape.values(); ++v)
    if (read[tape.source(v)] == 0) results.push_back(v);
  return results;
}

}  // namespace

DryRunPlan::DryRunPlan(const GraphTape& graph, Policy how, const PlanOptions& options)
    : tape(graph), policy(how), labels(labels_of(graph)) {
  for (uint32_t c = 0; c < tape.calls(); ++c) all.push_back(c);
  Scheduler().run(tape, all, policy, schedule);
  const std::vector<uint32_t> kept = options.reuse ? results_in(tape) : std::vector<uint32_t>();
  ForwardPlanner().plan(tape, schedule, kept, options, layout, plan);
}

DryRun dry_run(const GraphTape& tape, Policy policy, const PlanOptions& options) {
  DryRun r;
  r.graphs = 1;
  r.policy = policy;
  r.calls = tape.calls();
  r.shared_calls = tape.shared;
  if (r.calls == 0) return r;
  const DryRunPlan t(tape, policy, options);
  r.how = t.schedule.how;
  r.depth = depth_of(tape);
  r.fewest_steps = lower_bound(tape, t.all);
  for (const Policy other : {Policy::depth, Policy::agenda})
    if (other != policy) {
      Schedule s;
      Scheduler().run(tape, t.all, other, s);
      r.other_steps.emplace_back(other, s.steps.size());
    }
  for (uint32_t c = 0; c < tape.calls(); ++c) r.rows += tape.signature(c).output_shapes.size();
  r.row_bytes = t.plan.regions * sizeof(float);
  r.scratch_bytes = t.plan.scratch * sizeof(float);
  const std::vector<size_t> cells = list_cells(t, r.cells);
  count_recomputed(t, cells, r);
  r.steps = steps_in(t, cells);
  r.gathers = gathers_in(t, cells);
  for (const DryRun::Gather& g : r.gathers) r.gathered_bytes += g.bytes;
  r.alone = alone_in(t, cells);
  return r;
}

}  // namespace detail

DryRun& DryRun::operator+=(const DryRun& other) {
  if (graphs == 0) return *this = other;
  std::vector<size_t> place;
  for (const Cell& c : other.cells) {
    auto it = std::find_if(cells.begin(), cells.end(), [&](const Cell& mine) { return mine.name == c.name; });
    if (it == cells.end()) it = cells.insert(it, Cell{c.name});
    it->calls += c.calls;
    it->steps += c.steps;
    it->alone += c.alone;
    it->largest_step = std::max(it->largest_step, c.largest_step);
    it->recomputed += c.recomputed;
    it->wide = it->wide || c.wide;
    place.push_back(static_cast<size_t>(it - cells.begin()));
  }
  const auto append = [&](auto& mine, const auto& theirs) {
    for (auto part : theirs) {
      part.cell = place[part.cell];
      mine.push_back(std::move(part));
    }
  };
  append(steps, other.steps);
  append(gathers, other.gathers);
  append(alone, other.alone);
  graphs += other.graphs;
  calls += other.calls;
  shared_calls += other.shared_calls;
  depth = std::max(depth, other.depth);
  fewest_steps += other.fewest_steps;
  if (how != other.how) how += other.how.empty() || how.empty() ? other.how : " and " + other.how;
  if (other_steps.empty()) other_steps.resize(other.other_steps.size());
  for (size_t i = 0; i < other.other_steps.size(); ++i) {
    other_steps[i].first = other.other_steps[i].first;
    other_steps[i].second += other.other_steps[i].second;
  }
  rows += other.rows;
  row_bytes += other.row_bytes;
  scratch_bytes += other.scratch_bytes;
  gathered_bytes += other.gathered_bytes;
  recomputed_calls += other.recomputed_calls;
  recomputed_flops += other.recomputed_flops;
  product_flops += other.product_flops;
  return *this;
}

}  // namespace espalier
