// Many concurrent tasks, and their cost in rounds, steps and allocations.
#include <gtest/gtest.h>

#include <numeric>

#include <espalier/espalier.h>
#include "support/allocations.h"

namespace espalier::test {
namespace ESPALIER_FILE {

Task<float> wait(Graph& g, int times, const std::vector<float>& one) {
  Expr x = input(g, one, {});
  float last = 0;
  for (int i = 0; i < times; ++i) {
    x = x + 1;
    last = co_await value(x);
  }
  co_return last;
}

TEST(Live, ten_thousand_tasks) {
  Engine engine;
  const std::vector<int> examples(10'000);
  const std::vector<float> one{1};
  const auto batch = engine.record(examples, [&](Graph& g, int) { return wait(g, 5, one); });
  EXPECT_EQ(batch.results, std::vector<float>(10'000, 6.f));
  EXPECT_EQ(batch.rounds, 5);
  // The first round has a step of inputs and a step of sums, each later round one step of sums.
  EXPECT_EQ(engine.counters().steps, 6u);
}

TEST(Live, ten_thousand_tasks_of_one_example) {
  Engine engine;
  Graph g = engine.graph();
  const std::vector<float> one{1};
  auto all_of_them = [&]() -> Task<float> {
    std::vector<Task<float>> tasks;
    for (int i = 0; i < 10'000; ++i) tasks.push_back(wait(g, 1 + i % 5, one));
    const std::vector<float> results = co_await all(std::move(tasks));
    co_return std::accumulate(results.begin(), results.end(), 0.f);
  };
  EXPECT_EQ(run(engine, g, all_of_them()), 40'000.f);
  EXPECT_EQ(engine.counters().rounds, 5u);
}

TEST(Live, nothing_is_allocated_by_waiting) {
  if (verifies_plans) GTEST_SKIP() << "verifying plans allocates";
  Engine engine;
  const std::vector<int> examples(20);
  const std::vector<float> one{1};
  auto allocations = [&](int times) {
    for (int warm = 0; warm < 3; ++warm)
      (void)engine.record(examples, [&](Graph& g, int) { return wait(g, times, one); });
    const Allocations counted;
    (void)engine.record(examples, [&](Graph& g, int) { return wait(g, times, one); });
    return counted.taken();
  };
  EXPECT_EQ(allocations(400), allocations(100));
}

// A round must not visit the whole graph: 50,000 such rounds would take minutes.
TEST(Live, one_task_of_many_rounds) {
  Engine engine;
  Graph g = engine.graph();
  const std::vector<float> one{0};
  EXPECT_EQ(run(engine, g, wait(g, 50'000, one)), 50'000.f);
  EXPECT_EQ(engine.counters().rounds, 50'000u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
