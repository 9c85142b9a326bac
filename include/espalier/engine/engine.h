// Engine: records examples, runs what was recorded, differentiates it. One thread at a time, else a GraphError; two
// engines are independent.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <espalier/base/minibatch.h>
#include <espalier/base/owned.h>
#include <espalier/base/policy.h>
#include <espalier/engine/batch.h>
#include <espalier/engine/dry_run.h>
#include <espalier/engine/inference.h>
#include <espalier/engine/results.h>
#include <espalier/engine/waiting.h>
#include <espalier/expr/graph.h>
#include <espalier/param/gradients.h>

namespace espalier {

struct EngineOptions {
  Device device = Device::cpu();
  Policy policy = Policy::automatic;
  Precision precision = Precision::f32;
  int threads = 1;
  uint64_t seed = 0;
  bool immediate = false;        // run each call when it is recorded; stop at the first NaN, naming call and line
  size_t memory_limit = 0;       // bytes of rows per shard; 0: what the machine has
  bool memoise = true;           // calls that are given integers and numbers alone, and the same ones, run once a graph
  bool poison = false;           // fill freed rows with NaN: for tests
  uint32_t rows_at_once = 0;     // a step runs in portions of so many rows; 0: what the cache holds
  uint32_t prologue_below = 32;  // what no recursion needs runs once for all steps, if these have fewer rows; 0: never
  bool timed = false;            // profile() tells times by cell, and on a GPU times at all, which slow it down
};

struct RecordOptions {
  Mode mode = Mode::train;
  std::span<const uint64_t> ids{};  // stable ids that key dropout; none: positions
  uint64_t epoch = 0;
  std::span<const uint32_t> sizes{};  // how large each example is, so that threads get equal shares; none: all alike
  bool skip_bad = false;              // leave out examples that throw; they are in Batch::failed
  int max_rounds = 100'000;           // an example that still waits then has failed; a co_await of what is computed
                                      // already is no wait
};

// What the engine did since it was made, or since the last reset_counters().
struct Counters {
  uint64_t rounds = 0, calls = 0, steps = 0, launches = 0, gathers = 0, copied_bytes = 0, weight_products = 0;
  uint64_t shared_calls = 0;  // not in `calls`: they were an earlier call of the same integers
  uint64_t arena_growths = 0, arena_bytes = 0;
  double product_flops = 0;
  double record_s = 0, schedule_s = 0, plan_s = 0;  // of the host
  // Of what computes. On a GPU: of the device, if it is timed, and of what was waited for.
  double gather_s = 0, product_s = 0, elementwise_s = 0, other_s = 0, accumulate_s = 0;
  double walk_s = 0, update_s = 0;  // on a GPU: many steps in one launch; sums of gradients, and updates
};

class Engine;

namespace detail {
struct EngineState;
inline constexpr char engine_name[] = "engine";
std::shared_ptr<EngineState> state_of(Engine& engine);

// Records into a graph, and runs rounds until that has ended: for run(), of component `task`.
ESPALIER_API void finish(Engine& engine, Graph& graph, const RecordOne& one, int max_rounds);

// What f gives for one example.
template <class F, class Example>
struct ResultOf {
  static constexpr bool fits = std::invocable<F&, Graph&, Example>;
  static_assert(
      fits, "record calls f(graph, example) for each example; f must take a Graph& and an element of what is given");
  using type = std::remove_cvref_t<
      typename std::conditional_t<fits, std::invoke_result<F&, Graph&, Example>, std::type_identity<Expr>>::type>;
};
}  // namespace detail

class ESPALIER_API Engine {
 public:
  explicit Engine(EngineOptions options = {});  // DeviceError: there is no such device
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  Graph graph(Mode mode = Mode::train);
  uint64_t seed() const;         // what is random follows from it, the epoch, the example and the place in the graph
  void set_seed(uint64_t seed);  // of graphs made from now on

  // f(Graph&, const Example&) -> T, or Task<T>, for each example, in several threads: f touches nothing mutable that is
  // shared. It ends when all have ended, so the examples and what f captures outlive every task. A failed example
  // leaves nothing in the graph, or calls that never run where it waited and others recorded since; what it emitted is
  // gone. The first one by position is thrown, or all are in `failed` (skip_bad). Errors of this library and those of
  // <stdexcept> end with "(example 12)"; other exceptions are thrown as they are, and failed_example() says which.
  // f may call this engine only where that has one thread (GraphError), and any other engine.
  template <std::ranges::random_access_range X, class F>
  auto record(const X& examples, F f, RecordOptions options = {}) {
    using Example = std::ranges::range_reference_t<const X>;
    using R = typename detail::ResultOf<F, Example>::type;
    const auto first = std::ranges::begin(examples);
    auto at = [&](size_t i) -> Example { return first[static_cast<std::ranges::range_difference_t<const X>>(i)]; };
    const size_t n = std::ranges::size(examples);
    if constexpr (detail::Recording<R>::waits && !std::is_reference_v<Example>) {
      std::vector<std::optional<Example>> kept(n);  // made by the range, for a moment: a task may hold on to them
      return collect<R>(n, options, [&](Graph& g, size_t i) -> R { return f(g, std::move(kept[i].emplace(at(i)))); });
    } else {
      return collect<R>(n, options, [&](Graph& g, size_t i) -> R { return f(g, at(i)); });
    }
  }
  // f(Graph&, id) for each id of a minibatch; dropout is keyed by id and epoch.
  template <class F>
  auto record(const Minibatch& minibatch, F f, RecordOptions options = {}) {
    options.ids = minibatch.ids;
    options.epoch = minibatch.epoch;
    using R = typename detail::ResultOf<F, uint64_t>::type;
    return collect<R>(minibatch.ids.size(), options, [&](Graph& g, size_t i) -> R { return f(g, minibatch.ids[i]); });
  }

  // The position of the example whose exception the last record, or the last minibatch of a Pipeline, has thrown; none:
  // there was no such exception.
  std::optional<size_t> failed_example() const;

  // Runs what the value needs and has not run, and waits. In a loop over examples this makes batches of one. What is
  // computed stays as it is when parameters change; where a value is not computed yet, all that it needs is computed
  // again, so that no value is made of old and new parameters.
  float value(Expr x);
  Tensor tensor(Expr x);
  std::vector<Tensor> tensors(std::span<const Expr> xs);  // several in one round

  // Runs with rows reused, waits, and closes the graphs. Results keep their structure, with a Tensor for each Expr; a
  // struct of Exprs becomes a tuple, and what holds no Expr stays what it is (moved, from a batch that is given away).
  template <class T>
  std::vector<detail::Values<T>> infer(const Batch<T>& batch) {
    return infer_results<T>(batch.results);
  }
  template <class T>
  std::vector<detail::Values<T>> infer(Batch<T>&& batch) {
    return infer_results<T>(std::move(batch.results));
  }

  // The same without waiting: while a GPU computes, the next batch can be recorded. The results come from get().
  template <class T>
  Inference<T> start(Batch<T>&& batch) {
    std::vector<Expr> all;
    if constexpr (detail::can_be_searched<T>())
      detail::each_expr(batch.results, [&](const Expr& x) { all.push_back(x); });
    detail::PendingTensors tensors = infer_all(all);
    return {std::move(batch.results), std::move(tensors)};
  }

  // One graph of all, with the examples in order: what one thread would have recorded. Calls of different threads then
  // run together, and equal ones once. Exprs in the results and what was emitted move along; any that were kept
  // elsewhere are stale. O(calls + edges), in one thread.
  template <class T>
  Batch<T> merge(Batch<T> batch) {
    if constexpr (detail::can_be_searched<T>()) {
      std::vector<Expr*> held;
      if (batch.shards.size() > 1) detail::each_expr(batch.results, [&](Expr& x) { held.push_back(&x); });
      merge_all(batch.shards, held);
    }
    return batch;
  }

  // Gradient of Σ scale · loss. Give the losses of the examples as a list: adding them into one Expr ties all examples
  // to one thread. A graph whose parameters have changed since it ran runs again first, so that loss and gradients are
  // those of a fresh recording; GraphError where that is not possible, as for rerun().
  Gradients backward(std::span<const Expr> losses, float scale = 1);
  Gradients backward(Expr loss);
  template <std::same_as<Expr> T>
  Gradients backward(const Batch<T>& batch, float scale = 1) {
    return backward(std::span<const Expr>(batch.results), scale);
  }

  // Computes again, with the present parameters and the same random numbers, all that has been computed. Tensors that
  // were read stay as they are. GraphError: infer() has closed the graph, or a Task waited for values and recorded on,
  // which it might do differently now: record it again.
  void rerun(const Graph& graph) { rerun_all({&graph, 1}); }
  template <class T>
  void rerun(const Batch<T>& batch) {
    rerun_all(batch.shards);
  }
  void watch(Expr x);  // keeps the gradient of a value that is no parameter, for the next backward

  // Until all is done that was asked for so far, updates as well: for whoever measures. Values wait by themselves.
  void wait();

  // How it would run, without running it: steps, memory, and what will not batch and why. A graph of Mode::infer as
  // infer() runs it, with rows reused and the values kept that no call reads. O(calls + edges), and for the reasons
  // again for every cell that has a step of one call.
  DryRun dry_run(const Graph& graph) const;
  template <class T>
  DryRun dry_run(const Batch<T>& batch) const {
    DryRun all;
    for (const Graph& g : batch.shards) all += dry_run(g);
    return all;
  }
  // The same as text, graph by graph.
  std::string explain(const Graph& graph) const;
  template <class T>
  std::string explain(const Batch<T>& batch) const {
    std::string text;
    for (size_t s = 0; s < batch.shards.size(); ++s) {
      if (batch.shards.size() > 1)
        text += "shard " + std::to_string(s + 1) + " of " + std::to_string(batch.shards.size()) + ": ";
      text += explain(batch.shards[s]);
    }
    return text;
  }
  // Where the time went: by stage and, where it is timed, by cell. Waits for a GPU.
  std::string profile() const;
  void set_timed(bool timed);  // from now on, as EngineOptions::timed
  Counters counters() const;
  void reset_counters();

 private:
  friend std::shared_ptr<detail::EngineState> detail::state_of(Engine&);
  friend void detail::finish(Engine&, Graph&, const detail::RecordOne&, int max_rounds);
  std::vector<Graph> record_all(size_t examples, const RecordOptions& options, const detail::RecordOne& one,
                                std::vector<Failure>& failed, int& rounds);
  detail::PendingTensors infer_all(std::span<const Expr> xs);
  void merge_all(std::vector<Graph>& shards, std::span<Expr* const> held);
  void rerun_all(std::span<const Graph> graphs);

  template <class T, class Results>
  std::vector<detail::Values<T>> infer_results(Results&& results) {
    if constexpr (detail::can_be_searched<T>()) {
      std::vector<Expr> all;
      detail::each_expr(results, [&](const Expr& x) { all.push_back(x); });
      return detail::results_with<T>(infer_all(all).get(), std::forward<Results>(results));
    } else {
      return {};
    }
  }

  template <class R, class F>
  auto collect(size_t n, const RecordOptions& options, F&& one) {
    using T = typename detail::Recording<R>::type;
    Batch<T> batch;
    std::vector<std::optional<T>> results(n);
    auto record_one = [&](Graph& g, size_t i) -> std::unique_ptr<detail::Waiting> {
      if constexpr (detail::Recording<R>::waits) return detail::Recording<R>::start(g, one(g, i), results[i]);
      if constexpr (std::is_void_v<R>)
        one(g, i), results[i].emplace();
      else if constexpr (!detail::Recording<R>::waits)
        results[i].emplace(one(g, i));
      return nullptr;
    };
    batch.shards = record_all(n, options, record_one, batch.failed, batch.rounds);
    batch.results.reserve(n);
    batch.positions.reserve(n);
    for (size_t i = 0; i < n; ++i)
      if (results[i]) {
        batch.results.push_back(std::move(*results[i]));
        batch.positions.push_back(i);
      }
    return batch;
  }

  detail::Owned<std::shared_ptr<detail::EngineState>, detail::engine_name> state_;
};

}  // namespace espalier
