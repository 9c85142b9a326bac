// The rounded copies of bf16 factors are up to date whenever a product reads them. Checked on the host, by a simulated
// device that stores the number of the last write of each element instead of its value.
#include <gtest/gtest.h>

#include <numeric>

#include "exec/executor.h"
#include "exec/gpu/bf16/unrounded.h"
#include "exec/plan_view.h"
#include "law/program/random_model.h"
#include "law/program/random_program.h"
#include "op/kernel/product.h"
#include "plan/plan.h"

namespace espalier {
namespace ESPALIER_FILE {

class Writes {
 public:
  explicit Writes(int multiple) : unrounded_(multiple), multiple_(multiple) {}

  // Follows the executor through a plan; every third group of five steps is a persistent kernel.
  void run(const Plan& plan, const Layout& layout) {
    arena_.resize(std::max(arena_.size(), plan.elements));
    shadow_.resize(arena_.size());
    unrounded_.begin(plan);
    for (const Fill& f : plan.fills) arena_[f.offset] = ++last_;
    for (size_t i = 0; i < plan.steps.size();) {
      const size_t end = std::min(i + 5, plan.steps.size());
      const std::span steps = std::span(plan.steps).subspan(i, end - i);
      const bool persistent = i / 5 % 3 == 2;
      for (const PlanStep& step : steps) {
        gather(plan, step, persistent);
        if (!persistent) unrounded_.read_in_place(plan, step, layout);
        step.each_kernel([&](const Kernel& k) {
          if (!persistent) multiply(plan, step, layout, k);
          write(plan, step, layout, k);
          if (!persistent) wrote(plan, step, layout, k);
        });
      }
      if (persistent)
        for (const PlanStep& step : steps) {
          unrounded_.read_in_place(plan, step, layout);
          step.each_kernel([&](const Kernel& k) { wrote(plan, step, layout, k); });
        }
      i = end;
    }
    round();
    for (const Gather& g : plan.final_gathers) write({g.out, g.stride, g.rows, static_cast<uint32_t>(g.size)}, false);
  }

  void accumulate(const Plan& plan) {
    for (const Accumulate& a : plan.accumulations) {
      if (a.kind != Accumulation::Kind::product || !multiplies_in_bf16(a.m, a.n, multiple_)) continue;
      const auto size = static_cast<uint32_t>(a.dy_size), vectors = size / static_cast<uint32_t>(a.m);
      read({a.dy.offset, a.dy.stride, a.rows, size}, "dy of a weight's gradient");
      read({a.x.offset, a.x.stride, a.rows, vectors * static_cast<uint32_t>(a.n)}, "x of a weight's gradient");
    }
  }

  size_t factors = 0, rounded = 0;  // numbers of factors read by products, and of ranges of rows rounded for them

 private:
  static RowsAt rows(const Plan& plan, const PlanStep& step, const Layout& layout, const RowsOf& r, uint32_t size) {
    const Buffer& buffer = step.program->code.buffers[static_cast<size_t>(r.which)];
    const Binding& b = plan.bindings[step.first_binding + static_cast<size_t>(r.which)];
    return {b.offset + r.offset, b.stride, static_cast<uint32_t>(rows_in(layout, step, buffer.space)), size};
  }
  template <class F>
  static void each(const RowsAt& r, F f) {
    for (uint64_t i = 0; i < r.rows; ++i)
      for (uint64_t e = 0; e < r.size; ++e) f(r.offset + i * r.stride + e);
  }
  void write(const RowsAt& r, bool with_shadow) {
    each(r, [&](uint64_t e) {
      arena_.at(e) = ++last_;
      if (with_shadow) shadow_[e] = last_;
    });
  }
  void read(const RowsAt& r, const std::string& what) {
    ++factors;
    bool same = true;
    each(r, [&](uint64_t e) { same = same && arena_.at(e) == shadow_[e] && arena_[e] > 0; });
    EXPECT_TRUE(same) << what;
  }
  void round() {
    for (const RowsAt& r : unrounded_.rows()) {
      ++rounded;
      each(r, [&](uint64_t e) { shadow_.at(e) = arena_[e]; });
    }
    unrounded_.clear();
  }

  void gather(const Plan& plan, const PlanStep& step, bool persistent) {
    const bool with_shadow = persistent || unrounded_.factors_of(*step.program).gathers[step.backward ? 1 : 0];
    for (const Gather& g : gathers_of(plan, step))
      write({g.out, g.stride, g.rows, static_cast<uint32_t>(g.size)}, with_shadow);
  }
  void multiply(const Plan& plan, const PlanStep& step, const Layout& layout, const Kernel& k) {
    if (!multiplies_in_bf16(k, multiple_)) return;
    round();
    const auto size = static_cast<uint32_t>(k.in_shapes[0].size());
    read(rows(plan, step, layout, k.in[0], size), str(step.program->name) + (step.backward ? ", backward" : ""));
  }
  void write(const Plan& plan, const PlanStep& step, const Layout& layout, const Kernel& k) {
    if (k.kind != Kernel::Kind::fused) {
      const uint32_t size = k.kind == Kernel::Kind::number ? 1 : static_cast<uint32_t>(k.out_shape.size());
      return write(rows(plan, step, layout, k.out, size), false);
    }
    const SaturatingMask shadowed = unrounded_.factors_of(*step.program).results(k.fused);
    for (size_t i = 0; i < k.fused.out.size(); ++i)
      write(rows(plan, step, layout, k.fused.out[i].rows, k.fused.size), shadowed.test(i));
  }

  void wrote(const Plan& plan, const PlanStep& step, const Layout& layout, const Kernel& k) {
    if (k.kind != Kernel::Kind::fused) unrounded_.wrote(plan, step, k.out, layout);
  }

  Unrounded unrounded_;
  int multiple_;
  std::vector<uint64_t> arena_, shadow_;  // the number of the write that each element holds
  uint64_t last_ = 0;
};

struct Way {
  Policy policy;
  PlanOptions options;
};

// Runs half of the calls in one round, the others in the next, and then the backward pass. With reuse, one round only.
void follow(const GraphTape& tape, std::span<const uint32_t> losses, const Way& way, Writes& writes) {
  Scheduler scheduler;
  ForwardPlanner forward;
  BackwardPlanner backward;
  Layout layout;
  const uint32_t all = tape.calls(), half = way.options.reuse ? 0 : all / 2;
  Schedule schedule;
  Plan plan;
  for (const auto& [begin, end] : {std::pair(0u, half), std::pair(half, all)}) {
    if (begin == end) continue;
    std::vector<uint32_t> calls(end - begin);
    std::iota(calls.begin(), calls.end(), begin);
    scheduler.run(tape, calls, way.policy, schedule);
    forward.plan(tape, schedule, losses, way.options, layout, plan);
    writes.run(plan, layout);
  }
  if (way.options.reuse) return;
  backward.plan(tape, layout, losses, 1, {}, way.options, plan);
  writes.run(plan, layout);
  writes.accumulate(plan);
}

const Way ways[] = {
    {Policy::automatic, {}}, {Policy::depth, {.chunk_rows = 3}},   {Policy::automatic, {.hoist_below = 1000}},
    {Policy::none, {}},      {Policy::automatic, {.reuse = true}},
};

TEST(Bf16, RandomProgramsHaveTheirFactorsRounded) {
  Writes all(1);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const law::RandomProgram program = law::random_program(seed);
    const law::RandomModel model(program.numbers);
    for (const Way& way : ways) {
      Engine engine({.device = Device::null()});
      Graph g = engine.graph();
      std::vector<uint32_t> losses;
      for (size_t e = 0; e < program.examples.size(); ++e)
        losses.push_back(model.record(g, program.examples[e], e).loss.id());
      Writes writes(1);
      follow(g.tape(), losses, way, writes);
      all.factors += writes.factors;
      all.rounded += writes.rounded;
      if (HasFailure()) FAIL() << "program " << law::print(program);
    }
  }
  EXPECT_GT(all.factors, 10000u);
  EXPECT_GT(all.rounded, 100u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
