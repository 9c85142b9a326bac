// left_free(): the ranges that are free after several consecutive steps are exactly those that no live row uses.
#include <gtest/gtest.h>

#include <numeric>

#include <espalier/engine/engine.h>
#include "graph/tape.h"
#include "law/program/fuzz.h"
#include "law/program/random_model.h"
#include "plan/left_free.h"

namespace espalier {
namespace ESPALIER_FILE {

// The reference: for each element, whether it is free after these steps.
std::vector<bool> expected(const Plan& plan, const Layout& layout, size_t first, size_t count) {
  std::vector<bool> free(plan.elements);
  const auto mark = [&](uint64_t offset, uint64_t size, bool is_free) {
    std::fill_n(free.begin() + static_cast<std::ptrdiff_t>(offset), size, is_free);
  };
  for (size_t s = first; s < first + count; ++s) {
    const PlanStep& step = plan.steps[s];
    for (size_t b = 0; b < step.program->code.buffers.size(); ++b)
      if (const Buffer& buffer = step.program->code.buffers[b]; buffer.kind == Buffer::Kind::output)
        mark(layout.base(*step.batch, static_cast<int>(b)), uint64_t{step.batch->rows} * buffer.stride, false);
    for (uint32_t f = 0; f < step.freed; ++f)
      mark(plan.freed[step.first_freed + f].offset, plan.freed[step.first_freed + f].size, true);
  }
  return free;
}

TEST(LeftFree, IsWhatNoLaterStepTakes) {
  size_t stretches = 0, taken_again = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const law::RandomProgram program = law::random_program(seed);
    const law::RandomModel model(program.numbers);
    Engine engine({.device = Device::null()});
    Graph g = engine.graph(Mode::infer);
    std::vector<uint32_t> losses;
    for (size_t e = 0; e < program.examples.size(); ++e)
      losses.push_back(model.record(g, program.examples[e], e).loss.id());
    std::vector<uint32_t> calls(g.tape().calls());
    std::iota(calls.begin(), calls.end(), 0u);
    Schedule schedule;
    Scheduler().run(g.tape(), calls, Policy::automatic, schedule);
    Layout layout;
    Plan plan;
    ForwardPlanner().plan(g.tape(), schedule, losses, {.reuse = true, .chunk_rows = seed % 2 == 0 ? 0u : 3u}, layout,
                          plan);
    for (size_t first = 0; first < plan.steps.size(); first += 3)
      for (size_t count = 1; first + count <= plan.steps.size(); count += 4) {
        const std::vector<bool> want = expected(plan, layout, first, count);
        std::vector<bool> got(plan.elements);
        for (const Range& r : left_free(plan, layout, first, count))
          std::fill_n(got.begin() + static_cast<std::ptrdiff_t>(r.offset), r.size, true);
        ASSERT_EQ(got, want) << "program " << seed << ", " << count << " steps from " << first;
        ++stretches;
        uint64_t freed = 0;
        for (size_t s = first; s < first + count; ++s)
          for (uint32_t f = 0; f < plan.steps[s].freed; ++f) freed += plan.freed[plan.steps[s].first_freed + f].size;
        taken_again += freed > static_cast<uint64_t>(std::count(want.begin(), want.end(), true));
      }
  }
  EXPECT_GT(stretches, 1000u);
  EXPECT_GT(taken_again, 100u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
