// The engine advances any implementation of Waiting: here hand-written state machines without coroutines.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include <espalier/engine/engine.h>
#include <espalier/expr/functions.h>
#include "support/error_of.h"

namespace espalier::test {
namespace {

// Doubles x until it is at least `limit`. Returns the number of doublings.
struct Doubling {
  Expr x;
  float limit;
  int fails_at = -1;
};

class Machine final : public detail::Waiting {
 public:
  Machine(Graph& g, Doubling d, std::optional<int>& into) : graph_(g), d_(d), into_(into) { ++alive; }
  ~Machine() override { --alive; }
  void advance(std::vector<detail::RequestedValue>& wanted) override {
    if (times_ == d_.fails_at) throw Error("doubling: it was to fail");
    if (times_++ > 0) d_.x = d_.x * 2;
    if (static_cast<float>(times_) <= d_.limit) return wanted.push_back({d_.x, {"machine.cc", 7}});
    drawn = graph_.random();
    into_ = times_ - 1;
  }
  static inline int alive = 0;
  static inline uint64_t drawn = 0;

 private:
  Graph& graph_;
  Doubling d_;
  std::optional<int>& into_;
  int times_ = 0;
};

}  // namespace
}  // namespace espalier::test

template <>
struct espalier::detail::Recording<espalier::test::Doubling> {
  using type = int;
  static constexpr bool waits = true;
  static std::unique_ptr<Waiting> start(Graph& g, test::Doubling&& d, std::optional<int>& into) {
    return std::make_unique<test::Machine>(g, d, into);
  }
};

namespace espalier::test {
namespace {

Doubling doubling(Graph& g, float limit) { return {input(g, std::vector<float>{1}, {}) * 1, limit}; }

TEST(Waiting, is_advanced_by_rounds) {
  Engine engine;
  const std::vector<float> limits{2, 5, 0, 3};
  const auto batch = engine.record(limits, [](Graph& g, float n) { return doubling(g, n); });
  EXPECT_EQ(batch.results, (std::vector<int>{2, 5, 0, 3}));
  EXPECT_EQ(batch.rounds, 5);
  EXPECT_EQ(Machine::alive, 0);
}

TEST(Waiting, draws_the_same_numbers_in_any_company) {
  Engine engine;
  auto f = [](Graph& g, float n) { return doubling(g, n); };
  const std::vector<uint64_t> ids{7, 8};
  (void)engine.record(std::vector<float>{6, 2}, f, {.ids = ids});  // the first ends last
  const uint64_t together = Machine::drawn;
  (void)engine.record(std::vector<float>{6}, f, {.ids = std::span(ids).first(1)});
  EXPECT_EQ(Machine::drawn, together);
  (void)engine.record(std::vector<float>{6}, f, {.ids = std::span(ids).last(1)});
  EXPECT_NE(Machine::drawn, together);
}

TEST(Waiting, that_fails_leaves_the_others_alone) {
  Engine engine;
  const std::vector<float> limits{2, 5, 4, 3};
  auto f = [](Graph& g, float n) {
    Doubling d = doubling(g, n);
    if (n == 5 || n == 3) d.fails_at = n == 5 ? 3 : 1;
    return d;
  };
  const auto batch = engine.record(limits, f, {.skip_bad = true});
  EXPECT_EQ(batch.results, (std::vector<int>{2, 4}));
  EXPECT_EQ(batch.positions, (std::vector<size_t>{0, 2}));
  ASSERT_EQ(batch.failed.size(), 2u);
  EXPECT_EQ(batch.failed[0].example, 1u);
  EXPECT_EQ(error_of([&] { std::rethrow_exception(batch.failed[0].error); }), "doubling: it was to fail (example 1)");
  EXPECT_EQ(error_of([&] { (void)engine.record(limits, f); }), "doubling: it was to fail (example 1)");
  EXPECT_EQ(Machine::alive, 0);
}

TEST(Waiting, that_never_ends_is_reported) {
  Engine engine;
  auto f = [](Graph& g, float n) { return doubling(g, n); };
  EXPECT_EQ(error_of([&] { (void)engine.record(std::vector<float>{2, 20, 30}, f, {.max_rounds = 10}); }),
            "record: the example still waits after 10 rounds; it must end, or max_rounds be larger (machine.cc:7) "
            "(example 1)");
  EXPECT_EQ(Machine::alive, 0);
}

TEST(Waiting, for_what_is_no_value_fails) {
  Engine engine;
  auto f = [](Graph& g, float n) { return n == 1 ? Doubling{Expr(), 2} : doubling(g, n); };
  const auto batch = engine.record(std::vector<float>{1, 2}, f, {.skip_bad = true});
  EXPECT_EQ(batch.results, std::vector<int>{2});
  ASSERT_EQ(batch.failed.size(), 1u);
  EXPECT_EQ(error_of([&] { std::rethrow_exception(batch.failed[0].error); }),
            "record: an empty Expr is given; a value is needed (machine.cc:7) (example 0)");
}

}  // namespace
}  // namespace espalier::test
