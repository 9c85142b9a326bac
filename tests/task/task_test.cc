// Tasks: results, number of rounds, and nesting depth.
#include <gtest/gtest.h>

#include <numeric>
#include <ranges>
#include <string>

#include <espalier/espalier.h>

namespace espalier::test {
namespace ESPALIER_FILE {

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

Task<> note(Graph& g, int n, std::vector<int>& into) {
  const int times = co_await count_down(g, n);
  into[static_cast<size_t>(n)] = times;
}

TEST(Task, may_give_nothing) {
  Engine engine;
  std::vector<int> seen(4);
  const auto batch = engine.record(std::vector<int>{3, 1, 2}, [&](Graph& g, int n) { return note(g, n, seen); });
  EXPECT_EQ(batch.results.size(), 3u);
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3}));
  Graph g = engine.graph();
  seen.assign(4, 0);
  run(engine, g, note(g, 2, seen));
  EXPECT_EQ(seen[2], 2);
}

// A task that refers to its example. The engine keeps a copy if the range generates examples on access.
Task<size_t> length(Graph& g, const std::string& text) {
  const float n = co_await value(number(g, static_cast<float>(text.size())));
  co_return text.size() == static_cast<size_t>(n) ? text.size() : 0;
}

TEST(Task, examples_outlive_it) {
  Engine engine;
  const auto texts =
      std::views::iota(20, 25) | std::views::transform([](int n) { return std::string(static_cast<size_t>(n), 'x'); });
  const auto batch = engine.record(texts, [](Graph& g, const std::string& t) { return length(g, t); });
  EXPECT_EQ(batch.results, (std::vector<size_t>{20, 21, 22, 23, 24}));
  const Minibatch minibatch{{4, 2, 0}, 1};
  const auto ids = engine.record(minibatch, [](Graph& g, uint64_t id) { return count_down(g, static_cast<int>(id)); });
  EXPECT_EQ(ids.results, (std::vector<int>{4, 2, 0}));
}

TEST(Task, may_be_moved_from_place_to_place) {
  Engine engine;
  Graph g = engine.graph();
  Task<int> a = count_down(g, 2), b = std::move(a);
  a = count_down(g, 1);
  a = std::move(b);  // the task of 1 is cancelled before it starts
  EXPECT_EQ(run(engine, g, std::move(a)), 2);
}

TEST(Task, immediate_engines_name_the_call) {
  EngineOptions options;
  options.immediate = true;
  Engine engine(options);
  auto f = [](Graph& g, int n) -> Task<float> { co_return co_await value(log(number(g, static_cast<float>(n)))); };
  const auto batch = engine.record(std::vector<int>{1, -1, 1}, f, {.skip_bad = true});
  EXPECT_EQ(batch.results, (std::vector<float>{0, 0}));
  EXPECT_EQ(batch.rounds, 0);
  ASSERT_EQ(batch.failed.size(), 1u);
  EXPECT_THROW(std::rethrow_exception(batch.failed[0].error), NumberError);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
