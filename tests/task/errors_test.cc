// Tasks that fail: the example named in the error, the calls that it leaves, and the effect on other examples.
#include <cmath>
#include <stdexcept>

#include "task/failing.h"

namespace espalier::test {
namespace ESPALIER_FILE {

TEST_P(TaskErrors, the_first_by_position_is_thrown) {
  auto f = [](Graph& g, int n) { return odd_ones_fail(g, n); };
  // The second example fails later than the third.
  EXPECT_ERROR(IndexError, "odd: 9 (example 1)", engine.record(std::vector<int>{2, 9, 3, 5}, f));
  EXPECT_ERROR(IndexError, "odd: 3 (example 3)", engine.record(std::vector<int>{2, 8, 0, 3}, f));
}

TEST_P(TaskErrors, others_are_as_if_alone) {
  auto f = [](Graph& g, int n) { return odd_ones_fail(g, n); };
  const std::vector<int> ns{2, 9, 3, 4, 0, 5};
  const auto batch = engine.record(ns, f, {.skip_bad = true});
  ASSERT_EQ(batch.results.size(), 3u);
  EXPECT_EQ(batch.positions, (std::vector<size_t>{0, 3, 4}));
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(engine.value(batch.results[i]), std::exp2(static_cast<float>(ns[batch.positions[i]])));
  ASSERT_EQ(batch.failed.size(), 3u);
  const std::vector<std::string> texts{"odd: 9 (example 1)", "odd: 3 (example 2)", "odd: 5 (example 5)"};
  const std::vector<size_t> bad{1, 2, 5};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(batch.failed[i].example, bad[i]);
    EXPECT_EQ(error(batch.failed[i]), texts[i]);
  }
  EXPECT_EQ(batch.emitted("start").size(), 3u);
  EXPECT_EQ(batch.emitted("step").size(), 6u);
  // Calls that a failed example recorded before other examples' calls stay on the tape and are never run.
  const uint64_t calls = engine.counters().calls;
  (void)engine.tensors(batch.emitted("step"));
  EXPECT_EQ(engine.counters().calls, calls);
}

TEST_P(TaskErrors, alone_an_example_leaves_nothing) {
  auto f = [](Graph& g, int n) { return odd_ones_fail(g, n); };
  const auto batch = engine.record(std::vector<int>{7}, f, {.skip_bad = true});
  EXPECT_EQ(batch.calls(), 0u);
  EXPECT_TRUE(batch.emitted("start").empty());
  EXPECT_TRUE(batch.results.empty());
}

TEST_P(TaskErrors, one_that_never_ends_is_reported) {
  auto forever = [](Graph& g, int n) { return odd_ones_fail(g, n); };
  EXPECT_ERROR(GraphError,
               "record: the example still waits after 20 rounds; it must end, or max_rounds be larger" +
                   str(Where{__FILE__, __LINE__ - 3}) + " (example 1)",
               engine.record(std::vector<int>{2, 1'000'000, 4, 1'000'000}, forever, {.max_rounds = 20}));
  const auto most = engine.record(std::vector<int>{2, 1'000'000, 4}, forever, {.skip_bad = true, .max_rounds = 20});
  EXPECT_EQ(most.positions, (std::vector<size_t>{0, 2}));
  ASSERT_EQ(most.failed.size(), 1u);
  EXPECT_EQ(most.failed[0].example, 1u);
  EXPECT_EQ(most.rounds, 20);
}

TEST_P(TaskErrors, other_exceptions_pass_through) {
  auto f = [](Graph& g, int n) -> Task<int> {
    const float v = co_await value(number(g, static_cast<float>(n)));
    if (v > 1) throw std::runtime_error("mine");
    co_return 0;
  };
  try {
    (void)engine.record(std::vector<int>{1, 2}, f);
    ADD_FAILURE();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "mine (example 1)");
  }
}

TEST_P(TaskErrors, an_error_from_within_is_named_once) {
  EXPECT_ERROR(Error, "inner1 (example 0)", engine.record(std::vector<int>{1}, [](Graph& g, int) { return outer(g); }));
  Graph g = engine.graph();
  EXPECT_ERROR(Error, "inner1", run(engine, g, outer(g)));
  EXPECT_EQ(g.calls(), 0u);
}

// A stored exception that is thrown repeatedly: each example fails with its own copy.
TEST_P(TaskErrors, a_stored_error_stays_as_it_is) {
  const std::exception_ptr stored = std::make_exception_ptr(IndexError("stored"));
  auto waits = [&](Graph& g, int) -> Task<int> {
    co_await value(number(g, 1));
    std::rethrow_exception(stored);
  };
  auto plain = [&](Graph&, int) -> int { std::rethrow_exception(stored); };
  auto check = [&](const auto& batch) {
    ASSERT_EQ(batch.failed.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_THROW(std::rethrow_exception(batch.failed[i].error), IndexError);
      EXPECT_EQ(error(batch.failed[i]), "stored (example " + std::to_string(i) + ")");
    }
    EXPECT_EQ(error({0, stored}), "stored");
  };
  check(engine.record(std::vector<int>(3), waits, {.skip_bad = true}));
  check(engine.record(std::vector<int>(3), plain, {.skip_bad = true}));
}

TEST_P(TaskErrors, a_failed_round_fails_those_who_wait) {
  EngineOptions small = options;
  small.memory_limit = 1 << 16;
  Engine tight(small);
  auto f = [](Graph& g, int n) -> Task<int> {
    const Alive alive;
    const Expr row = input(g, std::vector<float>(static_cast<size_t>(n), 1.f), {n});
    const float v = co_await value(sum_elements(tanh(row)));
    co_return static_cast<int>(v) > 0;
  };
  const auto batch = tight.record(std::vector<int>{10, 1 << 20}, f, {.skip_bad = true});
  EXPECT_EQ(batch.failed.size(), GetParam() == 1 ? 2u : 1u);  // examples of one thread share a round
  EXPECT_TRUE(error(batch.failed.back()).starts_with("plan: 8193 KiB are needed")) << error(batch.failed.back());
  if (GetParam() == 1) {
    EXPECT_EQ(batch.calls(), 0u);
  }
  EXPECT_EQ(tight.record(std::vector<int>{10, 20}, f).results, (std::vector<int>{1, 1}));
}

TEST_P(TaskErrors, side_by_side_the_first_failure_counts) {
  auto f = [](Graph& g, int) -> Task<int> {
    std::vector<Task<Expr>> tasks;
    for (const int n : {2, 9, 3, 1000}) tasks.push_back(odd_ones_fail(g, n));
    try {
      const std::vector<Expr> never = co_await all(std::move(tasks));
      co_return static_cast<int>(never.size());
    } catch (const IndexError& e) {
      if (std::string(e.what()) != "odd: 9") throw;
    }
    const float v = co_await value(number(g, 4));
    co_return static_cast<int>(v) * 10 + Alive::count;
  };
  Graph g = engine.graph();
  EXPECT_EQ(run(engine, g, f(g, 0)), 40);
  EXPECT_EQ(engine.counters().rounds, 10u);
}

// A nested task fails and thereby cancels a younger sibling of its parent, which already waits for its next value: that
// value is not computed.
TEST_P(TaskErrors, what_was_cancelled_waits_for_nothing) {
  auto fails = [](Graph& g) -> Task<int> {
    const float v = co_await value(number(g, 1));
    throw Error("late" + std::to_string(static_cast<int>(v)));
  };
  auto above = [&](Graph& g) -> Task<int> {
    std::vector<Task<int>> tasks;
    tasks.push_back(fails(g));
    const std::vector<int> never = co_await all(std::move(tasks));
    co_return never[0];
  };
  auto waits = [](Graph& g) -> Task<int> {
    const Alive alive;
    for (int i = 0; i < 100; ++i) co_await value(number(g, 2));
    co_return 0;
  };
  auto f = [&](Graph& g) -> Task<int> {
    std::vector<Task<int>> tasks;
    tasks.push_back(above(g));
    tasks.push_back(waits(g));
    try {
      co_await all(std::move(tasks));
    } catch (const Error& e) {
      co_return std::string(e.what()) == "late1" ? Alive::count.load() : -1;
    }
    co_return -1;
  };
  Graph g = engine.graph();
  EXPECT_EQ(run(engine, g, f(g)), 0);
  EXPECT_EQ(engine.counters().rounds, 1u);
}

INSTANTIATE_TEST_SUITE_P(, TaskErrors, testing::Values(1, 3),
                         [](const auto& c) { return "threads_" + std::to_string(c.param); });

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
