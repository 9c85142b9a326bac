// Random draws of a task depend on the seed and the example, not on other examples or on whether the task had to wait.
#include <gtest/gtest.h>

#include <espalier/espalier.h>

namespace espalier::test {
namespace ESPALIER_FILE {

using Draws = std::vector<uint64_t>;

Expr zeros_of(Graph& g, int n) { return input(g, std::vector<float>(static_cast<size_t>(n), 0.f), {n}) * 1; }

// Draws three numbers, `times` times: a sample, a random number, and the sum of a dropout mask.
Task<Draws> draw(Graph& g, int times) {
  Draws drawn;
  for (int i = 0; i < times; ++i) {
    const int chosen = co_await sample(zeros_of(g, 1000));
    drawn.push_back(static_cast<uint64_t>(chosen));
    drawn.push_back(g.random());
    const float left = co_await value(sum_elements(dropout(zeros_of(g, 1000) + 1, 0.5f)));
    drawn.push_back(static_cast<uint64_t>(left));
  }
  co_return drawn;
}

TEST(TaskRandom, numbers_are_the_examples_own) {
  const std::vector<int> times{3, 1, 4, 0, 2};
  const std::vector<uint64_t> ids{30, 31, 32, 33, 34};
  auto f = [](Graph& g, int n) { return draw(g, n); };
  Engine engine;
  const auto all_of_them = engine.record(times, f, {.ids = ids, .epoch = 2});
  EXPECT_NE(all_of_them.results[0][0], all_of_them.results[2][0]);
  for (const bool immediate : {false, true})  // in immediate mode no task waits
    for (const int threads : {1, 2}) {
      EngineOptions options;
      options.immediate = immediate;
      options.threads = threads;
      Engine other(options);
      const auto again = other.record(times, f, {.ids = ids, .epoch = 2});
      EXPECT_EQ(again.results, all_of_them.results) << immediate << threads;
      EXPECT_EQ(again.rounds, immediate ? 0 : 8);
    }
  for (size_t i = 0; i < times.size(); ++i) {
    const auto alone =
        engine.record(std::span(times).subspan(i, 1), f, {.ids = std::span(ids).subspan(i, 1), .epoch = 2});
    EXPECT_EQ(alone.results[0], all_of_them.results[i]);
  }
  const auto later = engine.record(times, f, {.ids = ids, .epoch = 3});
  EXPECT_NE(later.results[0], all_of_them.results[0]);
}

Task<std::vector<Draws>> side_by_side(Graph& g, int tasks, int times_of_first) {
  std::vector<Draws> drawn;
  for (int round = 0; round < 2; ++round) {
    std::vector<Task<Draws>> parts;
    for (int i = 0; i < tasks; ++i) parts.push_back(draw(g, i == 0 ? times_of_first : 2));
    std::vector<Draws> of_parts = co_await all(std::move(parts));
    for (Draws& d : of_parts) drawn.push_back(std::move(d));
  }
  Draws own = co_await draw(g, 1);
  drawn.push_back(std::move(own));
  co_return drawn;
}

TEST(TaskRandom, numbers_are_the_strands_own) {
  Engine engine;
  Graph g = engine.graph();
  const std::vector<Draws> a = run(engine, g, side_by_side(g, 3, 2));
  g.clear();
  g.example(0);
  const std::vector<Draws> b = run(engine, g, side_by_side(g, 3, 5));
  ASSERT_EQ(a.size(), 7u);
  EXPECT_EQ(a[1], b[1]);
  EXPECT_EQ(a[2], b[2]);
  EXPECT_EQ(a[4], b[4]);
  EXPECT_EQ(a[6], b[6]);  // drawn by the outer task, after its concurrent tasks
  EXPECT_TRUE(std::equal(a[0].begin(), a[0].end(), b[0].begin()));
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < i; ++k) EXPECT_NE(a[i][1], a[k][1]) << i << " " << k;
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
