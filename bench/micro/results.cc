// The host's work per result: copying computed values into tensors. Items are results.
#include <benchmark/benchmark.h>

#include "micro/trees.h"

namespace espalier::micro {
namespace {

// The losses of all nodes, 37 per tree on average, are computed before the first read.
void read_results(benchmark::State& state) {
  RecordedTrees trees(static_cast<size_t>(state.range(0)));
  (void)trees.engine.tensors(trees.losses);
  for (auto _ : state) benchmark::DoNotOptimize(trees.engine.tensors(trees.losses));
  const auto results = static_cast<double>(trees.losses.size());
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(trees.losses.size()));
  state.counters["per_result"] =
      benchmark::Counter(results, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(read_results)->ArgName("batch")->Arg(1)->Arg(64);

}  // namespace
}  // namespace espalier::micro
