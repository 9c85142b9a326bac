// Awaitables: values, choices by values, and awaits that do not wait.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <new>
#include <numeric>

#include <espalier/espalier.h>
#include "errors/error_test.h"
#include "support/allocations.h"

namespace espalier::test {
namespace ESPALIER_FILE {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class Awaited : public Errors {
 protected:
  Graph g = engine.graph();
  Expr list(const std::vector<float>& xs) { return input(g, xs, {static_cast<int>(xs.size())}) * 1; }
  Expr filled(int x) { return list(std::vector<float>(50, static_cast<float>(x))); }
  std::vector<int> best(Expr x, int k, ESPALIER_AT) {
    auto task = [&]() -> Task<std::vector<Scored>> { co_return co_await topk(x, k, at); };
    std::vector<int> indices;
    for (const Scored& s : run(engine, g, task())) indices.push_back(s.index);
    return indices;
  }
  int first(Expr x, ESPALIER_AT) {
    auto task = [&]() -> Task<int> { co_return co_await argmax(x, at); };
    return run(engine, g, task());
  }
  int drawn(Expr x, ESPALIER_AT) {
    auto task = [&]() -> Task<int> { co_return co_await sample(x, at); };
    return run(engine, g, task());
  }
};

TEST_F(Awaited, numbers) {
  const Expr x = list({3, 1, 2});
  auto task = [&]() -> Task<float> {
    const std::span<const float> xs = co_await values(x);
    const float sum = co_await value(sum_elements(x));
    co_return sum * 100 + xs[0] * 10 + xs[2];
  };
  EXPECT_EQ(run(engine, g, task()), 632);
}

TEST_F(Awaited, what_is_computed_makes_nobody_wait) {
  const Expr x = list({3, 1, 2});
  (void)engine.tensor(x);
  engine.reset_counters();
  EXPECT_EQ(first(x), 0);
  EXPECT_EQ(engine.counters().rounds, 0u);
  const std::vector<Expr> xs{x * 2, x * 3, x};
  auto task = [&]() -> Task<int> {
    co_await all(xs);
    const int a = co_await argmax(xs[0]);
    const int b = co_await argmax(xs[1]);
    co_return a + b;
  };
  EXPECT_EQ(run(engine, g, task()), 0);
  EXPECT_EQ(engine.counters().rounds, 1u);
}

TEST_F(Awaited, spans_stay_where_they_are) {
  auto task = [&]() -> Task<bool> {
    std::vector<std::span<const float>> kept;
    for (int i = 0; i < 2000; ++i) {
      const std::span<const float> xs = co_await values(filled(i));
      kept.push_back(xs);
    }
    bool well = true;
    for (size_t i = 0; i < kept.size(); ++i)
      well = well && kept[i].size() == 50 && kept[i][49] == static_cast<float>(i);
    co_return well;
  };
  EXPECT_TRUE(run(engine, g, task()));
}

// Host copies of reverted values are not used for the values that replace them.
TEST_F(Awaited, numbers_follow_reverts) {
  const Expr kept = list({1, 2});
  EXPECT_EQ(first(kept), 1);
  for (int i = 0; i < 4; ++i) {
    const Graph::Mark mark = g.mark();
    EXPECT_EQ(first(list(i % 2 == 0 ? std::vector<float>{5, 1} : std::vector<float>{1, 5})), i % 2);
    EXPECT_EQ(first(kept), 1);
    g.revert(mark);
  }
  g.clear();
  EXPECT_EQ(first(list({9, 2})), 0);
}

TEST_F(Awaited, are_right_after_memory_ran_out) {
  const Expr x = input(g, std::vector<float>(1000, 1.f), Shape{1000}) * 2;
  (void)engine.tensor(x);
  auto sum = [&]() -> Task<float> {
    const std::span<const float> xs = co_await values(x);
    co_return std::accumulate(xs.begin(), xs.end(), 0.f);
  };
  {
    const LittleMemory little(3500);
    try {
      EXPECT_EQ(run(engine, g, sum()), 2000);
    } catch (const std::bad_alloc&) {
    }
  }
  EXPECT_EQ(run(engine, g, sum()), 2000);
}

TEST_F(Awaited, choices) {
  EXPECT_EQ(first(list({1, 4, 2, 4})), 1);
  EXPECT_EQ(first(list({-inf, -inf})), 0);
  EXPECT_EQ(first(list({1, inf})), 1);
  EXPECT_EQ(best(list({1, 4, 2, 4, 2}), 4), (std::vector<int>{1, 3, 2, 4}));
  EXPECT_EQ(best(list({1, 4}), 0), std::vector<int>{});
  EXPECT_EQ(drawn(list({-inf, 3, -inf})), 1);
  EXPECT_EQ(drawn(list({-1000, 1000, -1000})), 1);
  std::vector<int> counts(3);
  for (int i = 0; i < 3000; ++i) ++counts[static_cast<size_t>(drawn(list({0, std::log(2.f), -inf})))];
  EXPECT_NEAR(counts[0], 1000, 100);
  EXPECT_NEAR(counts[1], 2000, 100);
  EXPECT_EQ(counts[2], 0);
}

TEST_F(Awaited, what_cannot_be) {
  EXPECT_ERROR(ShapeError, "value: it is [2]; value() reads a scalar, values() reads all elements (@)",
               value(list({1, 2})));
  EXPECT_ERROR(IndexError, "topk: k = 3 of [2]; it must be 0…2 (@)", topk(list({1, 2}), 3));
  EXPECT_ERROR(IndexError, "topk: k = -1 of [2]; it must be 0…2 (@)", topk(list({1, 2}), -1));
  EXPECT_ERROR(GraphError, "argmax: an empty Expr is given; a value is needed (@)", argmax(Expr()));
  EXPECT_ERROR(NumberError, "argmax: element 1 of [3] is nan; nan cannot be compared (@)", first(list({1, nan, 2})));
  EXPECT_ERROR(NumberError, "topk: element 0 of [2] is nan; nan cannot be compared (@)", best(list({nan, 2}), 0));
  EXPECT_ERROR(NumberError, "sample: element 2 of [3] is nan; nan cannot be compared (@)", drawn(list({1, 2, nan})));
  EXPECT_ERROR(NumberError, "sample: the largest logit of [2] is -inf; it must be finite (@)",
               drawn(list({-inf, -inf})));
  EXPECT_ERROR(NumberError, "sample: the largest logit of [2] is inf; it must be finite (@)", drawn(list({0, inf})));
  const Expr gone = list({1, 2});
  g.clear();
  EXPECT_ERROR(GraphError, "argmax: the value is stale; its graph was cleared, reverted or destroyed (@)",
               argmax(gone));
}

static_assert(std::is_trivially_destructible_v<Await<std::vector<Scored>>>);
static_assert(!std::is_convertible_v<Await<int>, int>);

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
