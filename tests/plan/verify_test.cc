// verify() accepts the plans of random programs, and rejects a valid plan after each of the changes below.
#include <gtest/gtest.h>

#include <functional>

#include "law/program/fuzz.h"
#include "law/program/random_model.h"
#include "plan/planned.h"

namespace espalier {
namespace ESPALIER_FILE {

std::string failure(const Planned& p, const std::vector<uint32_t>& keep = {}) {
  try {
    verify(p.plan, p.layout, p.tape, keep);
    return "";
  } catch (const InternalError& e) {
    return e.what();
  }
}

// A recurrence over two sequences that read their words in another order than recorded. Its plan has gathers, steps of
// two rows, hoisted products, a table, a bias, and sums over several readers.
struct VerifyPlan : testing::Test {
  Parameters params{1};
  Scope scope{params};
  Engine engine{{.device = Device::null()}};
  Graph g = engine.graph();
  const Lookup words = scope.add_lookup("words", 5, {2});
  const Parameter w = scope.add("w", {2, 2}), u = scope.add("u", {2, 2}), b = scope.add("b", {2});
  const Cell<Expr(Expr, Expr)> cell =
      scope.cell("rnn", {{2}, {2}}, [&](Expr x, Expr h) { return tanh(linear(x, w, b) + linear(h, u)); });
  std::vector<Expr> xs, losses;
  Planned p{g};

  void SetUp() override {
    for (int i = 0; i < 6; ++i) xs.push_back(lookup(g, words, i % 5));
    for (size_t e = 0; e < 2; ++e) {
      Expr h = row(g, 2);
      for (size_t t = 0; t < 3; ++t) h = cell(xs[5 - 2 * t - e], h);
      losses.push_back(sum_elements(h * h));
      losses.push_back(sum_elements(tanh(h)));
    }
  }

  Planned& forward() { return p.forward({.hoist_below = 32}); }
  Planned& reusing() { return p.forward({.reuse = true}, Planned::ids(losses)); }
  Planned& backward() { return forward().backward(losses, {xs[0]}, {.hoist_below = 32}); }

  // The first step for which `fits` is true.
  PlanStep& step(const std::function<bool(const PlanStep&)>& fits) {
    const auto it = std::find_if(p.plan.steps.begin(), p.plan.steps.end(), fits);
    EXPECT_NE(it, p.plan.steps.end());
    return *it;
  }
  static bool is_rnn(const PlanStep& s) { return s.program->name == "rnn" && !s.hoisted; }
  Binding& binding(const PlanStep& s, Buffer::Kind kind) {
    const auto& buffers = s.program->code.buffers;
    for (size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].kind == kind && p.plan.bindings[s.first_binding + i].offset != no_offset)
        return p.plan.bindings[s.first_binding + i];
    throw std::logic_error("the step has no such buffer");
  }
  // Expects verify() to throw an InternalError whose message contains `why`.
  void expect_failure(const std::string& why, const std::vector<uint32_t>& keep = {}) {
    const std::string got = failure(p, keep);
    EXPECT_NE(got.find("this is a bug in espalier: plan: "), std::string::npos) << got;
    EXPECT_NE(got.find(why), std::string::npos) << got << print(p.plan, p.layout);
  }
};

TEST_F(VerifyPlan, AcceptsWhatThePlannersMake) {
  EXPECT_EQ(failure(forward()), "");
  EXPECT_EQ(failure(p.backward(losses, {xs[0]}, {.hoist_below = 32})), "");
}
TEST_F(VerifyPlan, AcceptsRowsWithoutElements) {
  const Parameter none = scope.add("none", {0, 2});
  const Expr loss = sum_elements(linear(xs[0], none));
  p.forward().backward({loss});
  EXPECT_EQ(failure(p), "");
  for (const Gather& gather : p.plan.gathers) EXPECT_GT(gather.size, 0u);
}
TEST_F(VerifyPlan, AcceptsAKeptValueOfALaterRound) {
  forward();
  const Expr later = losses[0] + losses[1];
  EXPECT_EQ(failure(p, {later.id()}), "");
  p.layout.call_rows.resize(p.tape.calls());  // as the planner of a later round does
  EXPECT_EQ(failure(p, {later.id()}), "");
}
TEST_F(VerifyPlan, AcceptsReusedRows) { EXPECT_EQ(failure(reusing(), Planned::ids(losses)), ""); }

// ---- forward
TEST_F(VerifyPlan, RefusesAnOutputThatIsShifted) {
  forward();
  binding(step(is_rnn), Buffer::Kind::output).offset += 2;
  expect_failure("cell 'rnn'");
}
TEST_F(VerifyPlan, RefusesAnInputThatIsShifted) {
  forward();
  binding(step([](const PlanStep& s) { return s.program->name == "tanh"; }), Buffer::Kind::input).offset += 2;
  expect_failure("cell 'tanh', buffer 0, offset ");
}
TEST_F(VerifyPlan, RefusesAStepThatIsMissing) {
  forward();
  p.plan.steps.erase(p.plan.steps.begin());
  expect_failure("was not written, or is freed");
}
TEST_F(VerifyPlan, RefusesALastStepThatIsMissing) {
  forward();
  p.plan.steps.pop_back();
  expect_failure("runs for 0 of ");
}
TEST_F(VerifyPlan, RefusesStepsThatAreSwapped) {
  forward();
  std::swap(step(is_rnn), p.plan.steps[static_cast<size_t>(&step(is_rnn) - p.plan.steps.data()) + 1]);
  expect_failure("cell 'rnn', buffer 1, offset 32: row 0 of buffer ");
}
TEST_F(VerifyPlan, RefusesHoistedKernelsThatRunLate) {
  forward();
  std::swap(step([](const PlanStep& s) { return s.hoisted; }), step(is_rnn));
  expect_failure("cell 'rnn', buffer 6, offset 128: row 0 of buffer 6");
}
TEST_F(VerifyPlan, RefusesAGatherOfFewerRows) {
  forward();
  --p.plan.gathers[0].rows;
  expect_failure("its rows are not gathered");
}
TEST_F(VerifyPlan, RefusesAGatherOfShorterRows) {
  forward();
  --p.plan.gathers[0].size;
  expect_failure("its gather has another size");
}
TEST_F(VerifyPlan, RefusesAGatherFromAnotherRow) {
  forward();
  std::swap(p.plan.sources[p.plan.gathers[0].first_source], p.plan.sources[p.plan.gathers[0].first_source + 1]);
  expect_failure("is read, but row ");
}
TEST_F(VerifyPlan, RefusesAGatherThatIsMissing) {
  forward();
  step([](const PlanStep& s) { return s.gathers > 0; }).gathers = 0;
  expect_failure("its rows are not gathered");
}
TEST_F(VerifyPlan, RefusesAKernelThatIsMissing) {
  forward();
  step(is_rnn).kernels = SaturatingMask::of(1);
  expect_failure("cell 'rnn'");
}
TEST_F(VerifyPlan, RefusesRowsOutsideTheArena) {
  forward();
  p.plan.elements = p.plan.regions / 2;
  expect_failure("outside of the arena");
}
TEST_F(VerifyPlan, RefusesRowsThatOverlapLaterOnes) {
  forward();
  const uint64_t words_at = p.layout.address(xs[0].id());
  binding(step(is_rnn), Buffer::Kind::output).offset = words_at;
  expect_failure("offset ");
}

// ---- reuse
TEST_F(VerifyPlan, RefusesRowsThatAreFreedEarly) {
  reusing();
  PlanStep& late = step([](const PlanStep& s) { return s.freed > 0; });
  PlanStep& early = *std::prev(&late);
  early.first_freed = late.first_freed;
  early.freed = late.freed;
  late.freed = 0;
  expect_failure("freed");
}
TEST_F(VerifyPlan, RefusesRowsThatAreFreedTwice) {
  reusing();
  PlanStep& s = step([](const PlanStep& of) { return of.freed > 0; });
  p.plan.freed.insert(p.plan.freed.end(), 2, p.plan.freed[s.first_freed]);
  s.first_freed = static_cast<uint32_t>(p.plan.freed.size()) - 2;
  s.freed = 2;
  expect_failure("rows are freed that were not written, or are freed already");
}
TEST_F(VerifyPlan, RefusesAKeptValueThatIsFreed) {
  reusing();
  std::vector<uint32_t> keep = Planned::ids(losses);
  keep.push_back(xs[0].id());
  expect_failure("must be kept, but is freed", keep);
}

// ---- backward
TEST_F(VerifyPlan, RefusesABackwardStepThatIsMissing) {
  backward();
  p.plan.steps.erase(p.plan.steps.begin());
  expect_failure("offset ");
}
TEST_F(VerifyPlan, RefusesBackwardStepsThatAreSwapped) {
  backward();
  std::swap(p.plan.steps[0], p.plan.steps.back());
  expect_failure("offset ");
}
TEST_F(VerifyPlan, RefusesASumWithoutOneOfItsReaders) {
  backward();
  const auto sum = std::find_if(p.plan.gathers.begin(), p.plan.gathers.end(),
                                [](const Gather& s) { return s.first_offset != ~uint32_t{0}; });
  ASSERT_NE(sum, p.plan.gathers.end());
  --p.plan.offsets[sum->first_offset + sum->rows];
  expect_failure("is the sum of 3 readers, not of 2");
}
TEST_F(VerifyPlan, RefusesASumInAnotherOrder) {
  backward();
  const auto sum = std::find_if(p.plan.gathers.begin(), p.plan.gathers.end(),
                                [](const Gather& s) { return s.first_offset != ~uint32_t{0}; });
  ASSERT_NE(sum, p.plan.gathers.end());
  uint32_t* source = &p.plan.sources[p.plan.offsets[sum->first_offset]];
  std::swap(source[0], source[1]);
  expect_failure("in recording order");
}
TEST_F(VerifyPlan, RefusesAnAccumulationThatIsMissing) {
  backward();
  p.plan.accumulations.pop_back();
  expect_failure("are not added to the gradients");
}
TEST_F(VerifyPlan, RefusesAnAccumulationOfOtherRows) {
  backward();
  for (Accumulate& a : p.plan.accumulations)
    if (a.kind == Accumulation::Kind::product) a.x.offset += 2;
  expect_failure("reads other rows than cell 'rnn' asks for");
}
TEST_F(VerifyPlan, RefusesAWatchedGradientThatIsNotGathered) {
  backward();
  p.plan.final_gathers.clear();
  expect_failure("the gradient of watched value");
}

// ---- random programs, all policies, chunks, hoisting, reuse, several rounds
TEST(VerifyPlanOfRandomPrograms, Accepts) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const law::RandomProgram program = law::random_program(seed);
    const law::RandomModel model(program.numbers);
    Engine engine({.device = Device::null()});
    const PlanOptions options{.chunk_rows = seed % 3 == 0 ? 3u : 0u,
                              .hoist_below = seed % 2 == 0 ? 32u : 0u,
                              .wide = seed % 6 < 4,
                              .recompute_above = seed % 7 < 3 ? 0 : ~uint64_t{0},
                              .defer = seed % 5 != 0 && seed % 6 < 3};
    for (const Policy policy : {Policy::none, Policy::depth, Policy::agenda, Policy::automatic}) {
      Graph g = engine.graph();
      Planned p(g);
      std::vector<Expr> losses, watched;
      for (size_t e = 0; e < program.examples.size(); ++e) {
        const law::Recorded r = model.record(g, program.examples[e], e);
        losses.push_back(r.loss);
        if (seed % 4 == 0) watched.insert(watched.end(), {r.leaf, r.word});
        if (seed % 5 != 0) continue;
        p.forward(options, {}, policy);  // a round per example
        ASSERT_EQ(failure(p), "") << "seed " << seed;
      }
      p.forward(options, {}, policy);
      ASSERT_EQ(failure(p), "") << "seed " << seed;
      p.backward(losses, watched, options);
      ASSERT_EQ(failure(p), "") << "seed " << seed;
      Planned reused(g);
      PlanOptions reuse = options;
      reuse.reuse = true;
      reused.forward(reuse, Planned::ids(losses), policy);
      ASSERT_EQ(failure(reused, Planned::ids(losses)), "") << "seed " << seed;
    }
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
