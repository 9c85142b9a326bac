// The cost of waiting: one suspend and resume, a round of many tasks, and nested tasks.
#include <benchmark/benchmark.h>

#include <espalier/espalier.h>

namespace espalier::micro {
namespace {

void per_item(benchmark::State& state, int64_t items) {
  state.SetItemsProcessed(state.iterations() * items);
  state.counters["each"] = benchmark::Counter(
      static_cast<double>(items), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

EngineOptions computing_nothing() {
  EngineOptions o;
  o.device = Device::null();
  return o;
}

// Awaits a computed value: the cost of co_await itself.
Task<float> ask(Expr x, int times) {
  float sum = 0;
  for (int i = 0; i < times; ++i) {
    const float v = co_await value(x);
    sum += v;
  }
  co_return sum;
}
void task_computed_value(benchmark::State& state) {
  constexpr int times = 1000;
  Engine engine;
  Graph g = engine.graph();
  const Expr x = input(g, 1.f);
  (void)engine.value(x);
  for (auto _ : state) benchmark::DoNotOptimize(run(engine, g, ask(x, times)));
  per_item(state, times);
}
BENCHMARK(task_computed_value);

// Awaits a task that returns immediately: the cost of a frame, a resume and a result.
Task<int> at_once(int x) { co_return x; }
Task<int> many(int times) {
  int sum = 0;
  for (int i = 0; i < times; ++i) {
    const int x = co_await at_once(i);
    sum += x;
  }
  co_return sum;
}
void task_awaits_task(benchmark::State& state) {
  constexpr int times = 1000;
  Engine engine;
  Graph g = engine.graph();
  for (auto _ : state) benchmark::DoNotOptimize(run(engine, g, many(times)));
  per_item(state, times);
}
BENCHMARK(task_awaits_task);

Task<int> waits(Graph& g, int times) {
  Expr x = zeros(g, {});
  for (int i = 0; i < times; ++i) {
    x = x + 1;
    co_await all(std::span<const Expr>(&x, 1));
  }
  co_return times;
}
// Records a call and awaits it, ten times, on the null device: the overhead of a round.
void task_rounds(benchmark::State& state) {
  constexpr int times = 10;
  Engine engine(computing_nothing());
  const std::vector<int> examples(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    const auto batch = engine.record(examples, [](Graph& g, int) { return waits(g, times); });
    benchmark::DoNotOptimize(batch.results.data());
  }
  per_item(state, times * state.range(0));
}
BENCHMARK(task_rounds)->ArgName("tasks")->Arg(1)->Arg(64)->Arg(10000);

// The same calls, recorded without waiting and run in one round.
void task_rounds_without(benchmark::State& state) {
  constexpr int times = 10;
  Engine engine(computing_nothing());
  const std::vector<int> examples(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    const auto batch = engine.record(examples, [](Graph& g, int) {
      Expr x = zeros(g, {});
      for (int i = 0; i < times; ++i) x = x + 1;
      return x;
    });
    benchmark::DoNotOptimize(engine.tensors(batch.results));
  }
  per_item(state, times * state.range(0));
}
BENCHMARK(task_rounds_without)->ArgName("tasks")->Arg(1)->Arg(64)->Arg(10000);

}  // namespace
}  // namespace espalier::micro
