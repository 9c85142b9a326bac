// Misuse of tasks, and the error messages.
#include "task/failing.h"

namespace espalier::test {
namespace ESPALIER_FILE {

class TaskMisuse : public TaskErrors {};

TEST_P(TaskMisuse, a_task_is_awaited_once) {
  auto twice = [](Graph& g, int) -> Task<int> {
    Task<Expr> t = odd_ones_fail(g, 2);
    co_await t;
    co_await t;
    co_return 0;
  };
  EXPECT_ERROR(GraphError, "co_await: the task is empty; it was already awaited or moved from (example 0)",
               engine.record(std::vector<int>{1}, twice));
  EXPECT_ERROR(GraphError, "record: the task is empty; it was already awaited or moved from (example 0)",
               engine.record(std::vector<int>{1}, [](Graph&, int) { return Task<int>(); }));
  auto in_all = [](Graph&, int) -> Task<int> {
    std::vector<Task<int>> tasks(1);
    co_await all(std::move(tasks));
    co_return 0;
  };
  EXPECT_ERROR(GraphError, "all: the task is empty; it was already awaited or moved from (example 0)",
               engine.record(std::vector<int>{1}, in_all));
}

Task<int> awaits(Task<int>& other) { co_return co_await other; }

TEST_P(TaskMisuse, no_task_awaits_itself) {
  Graph g = engine.graph();
  Task<int> a, b;
  a = awaits(b);
  b = awaits(a);
  EXPECT_ERROR(GraphError, "co_await: the task is already being awaited; a task can be awaited only once",
               run(engine, g, awaits(a)));
}

TEST_P(TaskMisuse, foreign_values) {
  Engine other;
  Graph theirs = other.graph();
  const Expr x = number(theirs, 1);
  auto f = [&](Graph&, int) -> Task<float> { co_return co_await value(x); };
  EXPECT_ERROR(GraphError,
               "value: values of two graphs are mixed; all must be recorded in one graph" +
                   str(Where{__FILE__, __LINE__ - 3}) + " (example 0)",
               engine.record(std::vector<int>{1}, f));
  EXPECT_ERROR(GraphError, "run: the graph belongs to another engine; ask the one that recorded it",
               run(engine, theirs, outer(theirs)));
}

TEST_P(TaskMisuse, what_others_recorded_cannot_be_reverted) {
  auto f = [](Graph& g, int) -> Task<int> {
    const Graph::Mark before = g.mark();
    const float v = co_await value(number(g, 2));
    const Graph::Mark after = g.mark();
    (void)number(g, v);
    g.revert(after);  // taken after the wait: valid
    g.revert(before);
    co_return 0;
  };
  EXPECT_ERROR(GraphError,
               "revert: the mark at 0 calls is older than the last co_await; other examples may have recorded since; "
               "take a new mark (example 0)",
               engine.record(std::vector<int>{1, 2}, f));
  auto computed = [&](Graph& g, int) -> Task<int> {
    const Expr x = number(g, 2);
    (void)engine.tensor(x);
    const Graph::Mark before = g.mark();
    (void)number(g, 3);
    const float v = co_await value(x);  // it does not wait
    g.revert(before);
    co_return static_cast<int>(v);
  };
  Graph g = engine.graph();
  EXPECT_ERROR(GraphError,
               "revert: the mark at 2 calls is older than the last co_await; other examples may have recorded since; "
               "take a new mark",
               run(engine, g, computed(g, 0)));
}

TEST_P(TaskMisuse, a_graph_that_is_recorded_is_not_cleared) {
  auto clears = [](Graph& g, int n) -> Task<int> {
    const float v = co_await value(number(g, static_cast<float>(n)));
    if (n == 1) g.clear();
    const float w = co_await value(number(g, v));
    co_return static_cast<int>(w);
  };
  const auto batch = engine.record(std::vector<int>{2, 1, 3}, clears, {.skip_bad = true});
  EXPECT_EQ(batch.results, (std::vector<int>{2, 3}));
  ASSERT_EQ(batch.failed.size(), 1u);
  EXPECT_EQ(error(batch.failed[0]),
            "clear: the graph is still being recorded; clear it after record or run has returned (example 1)");
}

TEST_P(TaskMisuse, run_is_not_for_a_graph_that_is_recorded) {
  const std::string text = "run: the graph is being recorded; await the value (example 1)";
  auto in_a_task = [&](Graph& g, int n) -> Task<int> {
    g.emit("number", number(g, 1));
    co_await value(number(g, 2));
    if (n == 1) (void)run(engine, g, outer(g));
    co_return n;
  };
  auto in_a_function = [&](Graph& g, int n) {
    g.emit("number", number(g, 1));
    if (n == 1) (void)run(engine, g, outer(g));
    return n;
  };
  auto check = [&](const auto& batch) {
    EXPECT_EQ(batch.results, (std::vector<int>{0, 2}));
    EXPECT_EQ(batch.emitted("number").size(), 2u);
    ASSERT_EQ(batch.failed.size(), 1u);
    EXPECT_EQ(error(batch.failed[0]), text);
  };
  check(engine.record(std::vector<int>{0, 1, 2}, in_a_task, {.skip_bad = true}));
  check(engine.record(std::vector<int>{0, 1, 2}, in_a_function, {.skip_bad = true}));
}

TEST_P(TaskMisuse, run_speaks_for_itself) {
  Graph g = engine.graph();
  EXPECT_ERROR(GraphError, "run: the task is empty; it was already awaited or moved from", run(engine, g, Task<int>()));
  EXPECT_ERROR(GraphError, "run: the task still waits after 3 rounds; it must end, or max_rounds be larger (@)",
               run(engine, g, odd_ones_fail(g, 4), 3));
}

INSTANTIATE_TEST_SUITE_P(, TaskMisuse, testing::Values(1, 3),
                         [](const auto& c) { return "threads_" + std::to_string(c.param); });

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
