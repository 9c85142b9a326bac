// Which steps of a plan become persistent kernels. Plans and phases need no device: parameters are in a fake one.
#include "exec/gpu/persistent/find.h"

#include <numeric>

#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include "tensor/fake_device.h"

namespace espalier::persistent {
namespace ESPALIER_FILE {

constexpr int size = 32;
constexpr Capacity whole{.blocks = 132, .shared_bytes = size_t{199} << 10};

class FindSteps : public testing::Test {
 protected:
  FakeDevice memory;  // outlives the parameters
  Parameters params{1};
  Scope scope{params};
  nn::LSTM lstm{scope / "lstm", size, size};
  Engine engine{{.device = Device::null()}};
  Graph g = engine.graph();
  std::vector<uint32_t> losses;
  Layout layout;
  Plan plan;
  std::vector<float> arena;
  Planner planner;

  void record(int examples, int length) {
    for (int e = 0; e < examples; ++e) {
      nn::State state;
      for (int i = 0; i < length; ++i) state = lstm(ones(g, {size}), state);
      losses.push_back(sum_elements(state.h).id());
    }
  }
  void plan_forward(const PlanOptions& options = {}) {
    std::vector<uint32_t> calls(g.tape().calls());
    std::iota(calls.begin(), calls.end(), 0);
    Schedule schedule;
    Scheduler().run(g.tape(), calls, Policy::automatic, schedule);
    ForwardPlanner().plan(g.tape(), schedule, losses, options, layout, plan);
  }
  void plan_backward() { BackwardPlanner().plan(g.tape(), layout, losses, 1, {}, {}, plan); }

  std::span<const PlannedKernel> find(const Capacity& capacity = whole) {
    arena.resize(plan.elements + 64);
    find_steps(plan, layout, arena.data(), memory, nullptr, capacity, planner);
    return planner.kernels();
  }
  // Steps of an LSTM that a planned kernel runs.
  size_t lstm_steps(const PlannedKernel& k) const {
    const std::span steps = std::span(plan.steps).subspan(k.first_step, k.steps);
    return static_cast<size_t>(
        std::ranges::count_if(steps, [](const PlanStep& s) { return str(s.program->name).starts_with("lstm"); }));
  }
};

TEST_F(FindSteps, OfARecursionAreOneKernel) {
  record(3, 10);
  plan_forward();
  ASSERT_EQ(find().size(), 1u);
  const PlannedKernel& forward = planner.kernels()[0];
  EXPECT_GE(lstm_steps(forward), 9u);
  EXPECT_TRUE(forward.products.fast);
  EXPECT_FALSE(forward.products.plain);
  EXPECT_FALSE(forward.functions.empty());
  EXPECT_EQ(forward.barriers, forward.phases - 2) << "the load of the weights needs no barrier";
  EXPECT_GT(forward.shared_bytes, 0u);
  EXPECT_GT(forward.product_flops, 0);
  for (const Phase& p : planner.phases_of(forward))
    if (p.kind == fused_phase || (p.flags & with_fused) != 0) {
      EXPECT_LT(static_cast<size_t>(p.function), forward.functions.size());
    }
  plan_backward();
  ASSERT_EQ(find().size(), 1u);
  EXPECT_GE(lstm_steps(planner.kernels()[0]), 9u);
}

TEST_F(FindSteps, AreNotWorthAKernelIfTheyAreFew) {
  record(3, 2);
  plan_forward();
  EXPECT_TRUE(find().empty());
  EXPECT_TRUE(planner.script().phases.empty());
}

TEST_F(FindSteps, AreNotTakenIfTheyAreWide) {
  record(3000, 5);
  plan_forward();
  EXPECT_TRUE(find({.blocks = 1, .shared_bytes = whole.shared_bytes}).empty());
}

TEST_F(FindSteps, KeepNoWeightThatDoesNotFit) {
  record(3, 10);
  plan_forward();
  ASSERT_EQ(find({.blocks = 132, .shared_bytes = 0}).size(), 1u);
  EXPECT_EQ(planner.kernels()[0].shared_bytes, 0u);
  for (const Phase& p : planner.phases_of(planner.kernels()[0])) EXPECT_NE(p.kind, load_phase);
}

TEST_F(FindSteps, MultiplyInF32WithoutTensorCores) {
  record(3, 10);
  plan_forward();
  ASSERT_EQ(find({.blocks = 132, .shared_bytes = whole.shared_bytes, .tensor_cores = false}).size(), 1u);
  EXPECT_FALSE(planner.kernels()[0].products.fast);
  EXPECT_TRUE(planner.kernels()[0].products.plain);
}

// In training, the backward pass reads gathered rows; in inference nothing does, and they are not gathered at all.
TEST_F(FindSteps, GatherRowsThatAreReadLater) {
  record(3, 10);
  plan_forward();
  find();
  const size_t training = planner.script().gathers.size();
  layout.clear();
  plan_forward({.reuse = true});
  find();
  EXPECT_LT(planner.script().gathers.size(), training);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::persistent
