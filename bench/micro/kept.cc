// Replays kept recordings. Times are per minibatch; items are calls.
#include <benchmark/benchmark.h>

#include <espalier/engine/recorded.h>
#include "graph/kept.h"
#include "micro/trees.h"

namespace espalier::micro {
namespace {

void count_calls(benchmark::State& state, size_t calls) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(calls));
  state.counters["per_call"] = benchmark::Counter(
      static_cast<double>(calls), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Words that are memoised: a lookup and a product, equal for equal words.
struct MemoisedWords {
  Lookup words;
  Parameter weight;
  Cell<Expr(Index)> word;
  explicit MemoisedWords(Scope p)
      : words(p.add_lookup("words", data::sentiment::generated_words, {8})),
        weight(p.add("weight", {8, 8})),
        word(p.cell("word", {{}}, [this](Index i) { return tanh(linear(lookup(words, i), weight)); })) {}
};

struct Examples {
  explicit Examples(size_t n) : trees(data::sentiment::generate(n, 1)) {
    for (size_t i = 0; i < n; ++i) all.ids.push_back(i);
  }
  std::vector<Expr> losses(Graph& g, uint64_t id) const {
    thread_local std::vector<nn::State> states;
    std::vector<Expr> found;
    found.reserve(trees[id].nodes.size());
    model.record(g, trees[id], states, found);
    return found;
  }
  std::vector<Expr> memoised_words(Graph& g, uint64_t id) const {
    std::vector<Expr> found;
    for (const Tree::Node& n : trees[id].nodes)
      if (n.is_leaf()) found.push_back(memoised.word(g, n.word));
    return found;
  }

  Parameters params{1};
  TreeModel model{params};
  MemoisedWords memoised{params};
  std::vector<Tree> trees;
  Minibatch all;
};

// The calls alone: all examples are appended to one tape.
void append_kept_trees(benchmark::State& state) {
  const Examples examples(static_cast<size_t>(state.range(0)));
  Engine engine;
  Graph graph = engine.graph();
  const auto cells = std::make_shared<KeptCells>();
  std::vector<std::unique_ptr<KeptExample>> kept;
  for (const uint64_t id : examples.all.ids) {
    graph.example(id);
    const ExampleStart start(graph.tape());
    examples.losses(graph, id);
    kept.push_back(std::make_unique<KeptExample>(graph.tape(), start, cells));
  }
  const size_t calls = graph.calls();
  for (auto _ : state) {
    graph.clear();
    for (const auto& example : kept) {
      graph.example(0);
      example->append(graph.tape());
    }
  }
  count_calls(state, calls);
}
BENCHMARK(append_kept_trees)->ArgName("batch")->Arg(1)->Arg(64)->Arg(256);

template <class F>
void record(benchmark::State& state, const Minibatch& minibatch, F f) {
  Engine engine({.threads = static_cast<int>(state.range(1))});
  size_t calls = 0;
  for (auto _ : state) {
    const auto batch = engine.record(minibatch, f);
    calls = 0;
    for (const Graph& g : batch.shards) calls += g.calls() + g.tape().shared;
  }
  count_calls(state, calls);
}

void record_trees_kept(benchmark::State& state, bool keep) {
  const Examples examples(static_cast<size_t>(state.range(0)));
  const auto f = [&](Graph& g, uint64_t id) { return examples.losses(g, id); };
  if (keep)
    record(state, examples.all, Recorded(f));
  else
    record(state, examples.all, f);
}
BENCHMARK_CAPTURE(record_trees_kept, anew, false)
    ->ArgNames({"batch", "threads"})
    ->ArgsProduct({{64, 256, 4096}, {1}})
    ->UseRealTime();
BENCHMARK_CAPTURE(record_trees_kept, kept, true)
    ->ArgNames({"batch", "threads"})
    ->ArgsProduct({{64, 256, 4096}, {1, 2}})
    ->UseRealTime();

void record_memoised_words(benchmark::State& state, bool keep) {
  const Examples examples(static_cast<size_t>(state.range(0)));
  const auto f = [&](Graph& g, uint64_t id) { return examples.memoised_words(g, id); };
  if (keep)
    record(state, examples.all, Recorded(f));
  else
    record(state, examples.all, f);
}
BENCHMARK_CAPTURE(record_memoised_words, anew, false)->ArgNames({"batch", "threads"})->Args({256, 1});
BENCHMARK_CAPTURE(record_memoised_words, kept, true)->ArgNames({"batch", "threads"})->Args({256, 1});

}  // namespace
}  // namespace espalier::micro
