// Tasks: what they compute, in how many rounds, and how deep they may go.
#include <gtest/gtest.h>

#include <numeric>

#include <espalier/espalier.h>

namespace espalier::test {
namespace {

Expr number(Graph& g, float x) { return input(g, std::vector<float>{x}, {}); }

// Waits n times.
Task<int> count_down(Graph& g, int n) {
  Expr left = number(g, static_cast<float>(n));
  int times = 0;
  while (true) {
    const float now = co_await value(left);
    if (now <= 0) break;
    ++times;
    left = left - 1;
  }
  co_return times;
}

TEST(Task, rounds_are_those_of_the_longest_example) {
  for (const int threads : {1, 3}) {
    EngineOptions options;
    options.threads = threads;
    Engine engine(options);
    const std::vector<int> ns{3, 0, 7, 1, 5};
    const auto batch = engine.record(ns, [](Graph& g, int n) { return count_down(g, n); });
    EXPECT_EQ(batch.results, ns);
    EXPECT_EQ(batch.rounds, 8);
    EXPECT_EQ(engine.counters().rounds, threads == 1 ? 8u : 4u + 8 + 6);
  }
}

Task<int> deep(Graph& g, int levels) {
  if (levels == 0) {
    const float x = co_await value(number(g, 1) * 2);
    co_return static_cast<int>(x);
  }
  const int below = co_await deep(g, levels - 1);
  co_return below + 1;
}

TEST(Task, awaits_tasks_deep_down) {
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(run(engine, g, deep(g, 100'000)), 100'002);
}

Task<int> at_once(int x) { co_return x; }

Task<int> long_row(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    const int x = co_await at_once(i);
    sum += x % 2;
  }
  co_return sum;
}

TEST(Task, awaits_many_that_end_at_once) {
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(run(engine, g, long_row(100'000)), 50'000);
}

Task<int> of_parts(Graph& g, int n) {
  std::vector<Task<int>> tasks;
  for (int i = 0; i < n; ++i) tasks.push_back(count_down(g, i));
  const std::vector<int> times = co_await all(std::move(tasks));
  co_return std::accumulate(times.begin(), times.end(), 0);
}

TEST(Task, runs_side_by_side) {
  Engine engine;
  const std::vector<int> ns{3, 5, 0};
  const auto batch = engine.record(ns, [](Graph& g, int n) { return of_parts(g, n); });
  EXPECT_EQ(batch.results, (std::vector<int>{3, 10, 0}));
  EXPECT_EQ(batch.rounds, 5);
}

}  // namespace
}  // namespace espalier::test
