// The host's work per call: recording, scheduling into steps, planning rows. Times are per minibatch; items are calls.
#include <benchmark/benchmark.h>

#include "micro/round.h"
#include "micro/trees.h"

namespace espalier::micro {
namespace {

void count_calls(benchmark::State& state, size_t calls) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(calls));
  state.counters["per_call"] = benchmark::Counter(
      static_cast<double>(calls), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// A chain of 1,000 calls of a cell with two row inputs.
void record_small_cell(benchmark::State& state) {
  constexpr int calls = 1000;
  Parameters params(1);
  const auto cell = Scope(params).cell("small", {{4}, {4}}, [](Expr a, Expr b) { return a * b + a; });
  const std::vector<float> ones(4, 1);
  Engine engine;
  Graph graph = engine.graph();
  for (auto _ : state) {
    graph.clear();
    const Expr first = input(graph, ones, {4});
    Expr x = first;
    for (int i = 0; i < calls; ++i) x = cell(x, first);
    benchmark::DoNotOptimize(x);
  }
  count_calls(state, calls);
}
BENCHMARK(record_small_cell);

void record_trees(benchmark::State& state) {
  RecordedTrees trees(static_cast<size_t>(state.range(0)));
  const size_t calls = trees.graph.calls();
  for (auto _ : state) {
    trees.graph.clear();
    trees.record();
  }
  count_calls(state, calls);
}
BENCHMARK(record_trees)->ArgName("batch")->Arg(1)->Arg(64)->Arg(256);

void schedule_trees(benchmark::State& state, Policy policy) {
  const RecordedTrees trees(static_cast<size_t>(state.range(0)));
  const std::vector<uint32_t> calls = trees.calls();
  Round round(trees.graph.tape());
  for (auto _ : state) round.schedule(calls, policy);
  count_calls(state, calls.size());
  state.counters["steps"] = static_cast<double>(round.steps().steps.size());
}
BENCHMARK_CAPTURE(schedule_trees, none, Policy::none)->ArgName("batch")->Arg(1)->Arg(64)->Arg(256);
BENCHMARK_CAPTURE(schedule_trees, depth, Policy::depth)->ArgName("batch")->Arg(1)->Arg(64)->Arg(256);
BENCHMARK_CAPTURE(schedule_trees, agenda, Policy::agenda)->ArgName("batch")->Arg(1)->Arg(64)->Arg(256);
BENCHMARK_CAPTURE(schedule_trees, automatic, Policy::automatic)->ArgName("batch")->Arg(1)->Arg(64)->Arg(256);

void plan_trees(benchmark::State& state) {
  const RecordedTrees trees(static_cast<size_t>(state.range(0)));
  Round round(trees.graph.tape());
  round.schedule(trees.calls());
  for (auto _ : state) {
    round.forget();
    round.plan();
  }
  count_calls(state, trees.graph.calls());
}
BENCHMARK(plan_trees)->ArgName("batch")->Arg(1)->Arg(64)->Arg(256);

void plan_trees_backward(benchmark::State& state) {
  const RecordedTrees trees(static_cast<size_t>(state.range(0)));
  const std::vector<uint32_t> losses = trees.loss_values();
  Round round(trees.graph.tape());
  round.schedule(trees.calls());
  round.plan();
  for (auto _ : state) round.plan_backward(losses);
  count_calls(state, trees.graph.calls());
}
BENCHMARK(plan_trees_backward)->ArgName("batch")->Arg(1)->Arg(64)->Arg(256);

}  // namespace
}  // namespace espalier::micro
