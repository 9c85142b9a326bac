// Merges examples recorded by several threads into one graph. Times are per minibatch; items are calls.
#include <benchmark/benchmark.h>

#include <espalier/data/sentiment.h>
#include "graph/append.h"
#include "micro/trees.h"

namespace espalier::micro {
namespace {

struct Examples {
  explicit Examples(size_t n) : model(params), trees(data::sentiment::generate(n, 1)) {
    for (const Tree& t : trees) sizes.push_back(static_cast<uint32_t>(t.nodes.size()));
  }
  auto record(Engine& engine) const {
    return engine.record(trees,
                         [this](Graph& g, const Tree& tree) {
                           thread_local std::vector<nn::State> states;
                           std::vector<Expr> losses;
                           losses.reserve(tree.nodes.size());
                           model.record(g, tree, states, losses);
                           return losses;
                         },
                         {.sizes = sizes});
  }

  Parameters params{1};
  TreeModel model;
  std::vector<Tree> trees;
  std::vector<uint32_t> sizes;
};

void count_calls(benchmark::State& state, size_t calls) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(calls));
  state.counters["per_call"] = benchmark::Counter(
      static_cast<double>(calls), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void record_in_threads(benchmark::State& state, bool merge) {
  const Examples examples(static_cast<size_t>(state.range(0)));
  Engine engine({.threads = static_cast<int>(state.range(1))});
  size_t calls = 0;
  for (auto _ : state) {
    auto batch = examples.record(engine);
    if (merge) batch = engine.merge(std::move(batch));
    calls = batch.calls();
  }
  count_calls(state, calls);
}
BENCHMARK_CAPTURE(record_in_threads, apart, false)
    ->ArgNames({"batch", "threads"})
    ->ArgsProduct({{64, 256, 1024}, {1, 2}})
    ->UseRealTime();
BENCHMARK_CAPTURE(record_in_threads, merged, true)
    ->ArgNames({"batch", "threads"})
    ->ArgsProduct({{64, 256, 1024}, {2}})
    ->UseRealTime();

// Items count the appended calls only.
void append_trees(benchmark::State& state) {
  RecordedTrees into(static_cast<size_t>(state.range(0))), from(static_cast<size_t>(state.range(0)));
  const Graph::Mark mark = into.graph.mark();
  Appender appender;
  for (auto _ : state) {
    appender.append(into.graph.tape(), from.graph.tape());
    into.graph.revert(mark);
  }
  count_calls(state, from.graph.calls());
}
BENCHMARK(append_trees)->ArgName("batch")->Arg(32)->Arg(128)->Arg(512);

}  // namespace
}  // namespace espalier::micro
