// Calls of an engine inside its own record, from other threads, and inside another engine.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <espalier/espalier.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

const std::vector<int> three{1, 2, 3};

Expr number(Graph& g, int n) { return input(g, static_cast<float>(n)) * 2; }

TEST(Nested, record_in_one_thread) {
  Engine engine;
  const auto batch = engine.record(three, [&](Graph& g, int n) {
    const auto inner = engine.record(std::vector<int>{n}, number);
    const float v = engine.value(inner.results.at(0));
    const auto more = engine.record(std::vector<int>(7, n), number, {.mode = Mode::infer});
    return number(g, n) + v + engine.infer(more).at(6)[0];
  });
  ASSERT_EQ(batch.results.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(engine.value(batch.results[static_cast<size_t>(i)]), 6 * (i + 1));
}

TEST(Nested, values_and_gradients_in_one_thread) {
  Engine engine;
  Parameters params;
  const Parameter p = Scope(params).add("p", {}, init::constant(3));
  const auto batch = engine.record(three, [&](Graph& g, int n) {
    const Expr loss = row(g, p) * static_cast<float>(n);
    return loss * engine.backward(loss).of(p)[0] + engine.value(loss);
  });
  for (size_t i = 0; i < 3; ++i) {
    const auto n = static_cast<float>(i + 1);
    EXPECT_EQ(engine.value(batch.results[i]), 3 * n * n + 3 * n);
  }
}

TEST(Nested, several_threads_refuse) {
  Engine engine({.threads = 2});
  Graph other = engine.graph();
  const Expr x = number(other, 1);
  const auto refused = [](const std::string& who, int example) {
    return who +
           ": it is called inside record of the same engine, which runs in several threads; call it afterwards, or "
           "on another engine (example " +
           std::to_string(example) + ")";
  };
  const auto inside = [&](auto f, const std::vector<int>& examples = three) {
    return error_of([&] {
      engine.record(examples, [&](Graph& g, int n) {
        const Expr y = number(g, n);
        if (n == examples.back()) f(y);
        return y;
      });
    });
  };
  const auto record = [&](Expr) { engine.record(three, number); };
  EXPECT_EQ(inside(record), refused("record", 2));
  EXPECT_EQ(inside(record, {1}), refused("record", 0)) << "whatever the number of examples";
  EXPECT_EQ(inside([&](Expr y) { engine.value(y); }), refused("value", 2));
  EXPECT_EQ(inside([&](Expr) { engine.value(x); }), refused("value", 2));
  EXPECT_EQ(inside([&](Expr y) { engine.backward(y); }), refused("backward", 2));
  EXPECT_EQ(inside([&](Expr) { (void)engine.graph(); }), refused("graph", 2));
  EXPECT_EQ(inside([&](Expr) { engine.watch(x); }), refused("watch", 2));
  EXPECT_EQ(inside([&](Expr) { (void)engine.explain(other); }), refused("explain", 2));
  Batch<Expr> held;
  EXPECT_EQ(inside([&](Expr) { engine.infer(held); }), refused("infer", 2));
  const auto task = [&](Graph& g, int n) -> Task<Expr> {
    const float v = co_await value(number(g, n));
    if (v == 2) (void)engine.value(x);
    co_return number(g, n);
  };
  EXPECT_EQ(error_of([&] { engine.record(three, task); }), refused("value", 0));
  EXPECT_EQ(engine.record(three, number).results.size(), 3u);
  EXPECT_EQ(engine.value(x), 2);
}

TEST(Nested, another_engine_may_be_used) {
  for (const int outer_threads : {1, 2})
    for (const int inner_threads : {1, 2}) {
      Engine outer({.threads = outer_threads});
      const auto batch = outer.record(std::vector<int>(20, 4), [&](Graph& g, int n) {
        Engine inner({.threads = inner_threads});
        float sum = 0;
        for (const Tensor& t : inner.infer(inner.record(three, number))) sum += t[0];
        return number(g, n) + sum;
      });
      ASSERT_EQ(batch.results.size(), 20u);
      for (const Tensor& t : outer.tensors(batch.results)) EXPECT_EQ(t[0], 20);
    }
}

// The user's function runs in a thread of the inner engine and calls the outer engine.
TEST(Nested, through_another_engine) {
  Engine outer, inner({.threads = 2});
  Graph g = outer.graph();
  const Expr x = number(g, 1);
  EXPECT_EQ(error_of([&] {
              outer.record(std::vector<int>{1}, [&](Graph&, int) {
                return inner.record(three, [&](Graph&, int n) { return n == 3 ? outer.value(x) : 0; }).results.size();
              });
            }),
            "value: another thread is using the engine; use it in one thread at a time, or one engine per thread "
            "(example 2) (example 0)");
}

TEST(Threads, one_engine_in_two_is_refused) {
  Engine engine;
  std::atomic<int> stage = 0;
  std::string value_error, record_error;
  Graph g = engine.graph();
  const Expr x = number(g, 1);
  std::thread other([&] {
    while (stage != 1) std::this_thread::yield();
    value_error = error_of([&] { engine.value(x); });
    record_error = error_of([&] { engine.record(three, number); });
    stage = 2;
  });
  const auto batch = engine.record(std::vector<int>{1}, [&](Graph& graph, int n) {
    stage = 1;
    while (stage != 2) std::this_thread::yield();
    return number(graph, n);
  });
  other.join();
  const std::string why =
      ": another thread is using the engine; use it in one thread at a time, or one engine per thread";
  EXPECT_EQ(value_error, "value" + why);
  EXPECT_EQ(record_error, "record" + why);
  EXPECT_EQ(engine.value(batch.results[0]), 2);
  std::thread later([&] { EXPECT_EQ(engine.value(x), 2); });  // threads may alternate
  later.join();
}

TEST(Threads, the_function_of_a_pipeline_must_not_call_its_engine) {
  Engine engine;
  Graph g = engine.graph();
  const Expr x = number(g, 1);
  Pipeline pipeline(engine, 1, [&](Graph& graph, uint64_t id) {
    if (id == 7) (void)engine.value(x);
    if (id == 8) throw id;
    return number(graph, 1);
  });
  pipeline.push({{1, 7}, 0});
  pipeline.push({{1, 2, 8}, 0});
  pipeline.push({{1, 2}, 0});
  EXPECT_EQ(error_of([&] { pipeline.backward(); }),
            "value: it is called inside a pipeline of the same engine, which runs in several threads; call it "
            "afterwards, or on another engine (example 1)");
  EXPECT_THROW(pipeline.backward(), uint64_t);
  EXPECT_EQ(engine.failed_example(), 2u);
  EXPECT_EQ(pipeline.backward().loss().get(), 4);
  EXPECT_EQ(engine.failed_example(), std::nullopt);
}

// Gradients are added by the engine's threads; while these run the user's function, by the calling thread alone.
TEST(Threads, gradients_are_added_inside_record) {
  Engine engine({.threads = 2});
  Parameters params;
  const nn::Linear big(params / "big", 300, 300);
  const auto loss = [&](Graph& g, int n) {
    return sum_elements(big(input(g, std::vector<float>(300, static_cast<float>(n)), {300})));
  };
  const auto gradients = [&] {
    const auto batch = engine.record(three, loss);
    return engine.backward(batch);
  };
  Gradients a = gradients(), b = gradients();
  std::atomic<int> added = 0;
  const auto batch = engine.record(three, [&](Graph& g, int n) {
    if (n == 1) {
      a += std::move(b);
      a *= 0.5f;
      ++added;
    }
    return loss(g, n);
  });
  EXPECT_EQ(added, 1);
  EXPECT_EQ(batch.results.size(), 3u);
  EXPECT_EQ(a.of(big.weight).to_vector(), gradients().of(big.weight).to_vector());
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
