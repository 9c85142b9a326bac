// Engine: records examples, runs the recorded graphs, and differentiates them. One thread at a time may call an engine
// (GraphError otherwise); two engines are independent.
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
  bool immediate = false;     // run each call when it is recorded; stop at the first NaN, naming call and line
  size_t memory_limit = 0;    // bytes of rows per shard; rows are recomputed to keep it, at equal bits (cpu, ref);
                              // DeviceError if that does not suffice; 0: the 32 GiB that rows can address
  bool memoise = true;        // equal calls whose arguments are only integers and constants run once per graph
  bool poison = false;        // fill freed rows with NaN, for tests
  uint32_t chunk_rows = 0;    // a step runs in chunks of this many rows; 0: as many as fit the cache
  uint32_t hoist_below = 32;  // hoist products out of a recursion if its mean rows per step are below this; 0: never
  bool timed = false;         // measure times per cell, and on a GPU all device times; slower
};

struct RecordOptions {
  Mode mode = Mode::train;
  std::span<const uint64_t> ids{};  // stable ids that key dropout; empty: the positions
  uint64_t epoch = 0;
  std::span<const uint32_t> sizes{};  // relative cost of each example, to balance the threads; empty: all equal
  bool skip_bad = false;              // leave out examples that throw, and list them in Batch::failed
  int max_rounds = 100'000;           // an example that still waits after this many rounds fails; a co_await of a
                                      // computed value does not count
  bool serial = false;                // record all shards in the calling thread, one after the other
};

// Totals since the engine was made, or since the last reset_counters(); arena_growths and arena_bytes are never reset.
struct Counters {
  uint64_t rounds = 0, calls = 0, steps = 0, launches = 0, gathers = 0, copied_bytes = 0, weight_products = 0;
  uint64_t shared_calls = 0;                    // calls that reuse an earlier, equal call (memoise); not in `calls`
  uint64_t recomputed_calls = 0;                // calls whose forward kernels a backward pass ran again; not in `calls`
  uint64_t arena_growths = 0, arena_bytes = 0;  // since the engine was made; bytes allocated now
  double product_flops = 0;
  double record_s = 0, schedule_s = 0, plan_s = 0;  // host time in seconds
  // Execution time in seconds. On a GPU: device time, measured only if `timed`, only for completed work.
  double gather_s = 0, product_s = 0, elementwise_s = 0, other_s = 0, accumulate_s = 0;
  double persistent_s = 0, update_s = 0;  // on a GPU: persistent kernels; sums of gradients, and optimizer updates
};

class Engine;

namespace detail {
struct EngineState;
inline constexpr char engine_name[] = "engine";
std::shared_ptr<EngineState> state_of(Engine& engine);

// Records one example into a graph and runs rounds until it has ended: for run() of component `task`.
ESPALIER_API void finish(Engine& engine, Graph& graph, const RecordOne& one, int max_rounds);

// The type that f returns for one example.
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
  explicit Engine(EngineOptions options = {});  // DeviceError: the device does not exist
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  Graph graph(Mode mode = Mode::train);
  // Random numbers are a function of the seed, the epoch, the example's id and the position within the example.
  uint64_t seed() const;
  void set_seed(uint64_t seed);  // for graphs made from now on

  // Calls f(Graph&, const Example&) -> T, or Task<T>, for each example, in several threads: f must not modify shared
  // data. Returns when all examples have ended, so the examples and f's captures outlive every task. The calls and the
  // emitted values of a failed example are removed; calls recorded before another example's calls stay, but no result
  // needs them. The exception of the first failed example by position is thrown; with skip_bad, all exceptions are in
  // `failed` instead. Errors of this library and of <stdexcept> end with "(example 12)"; other exceptions are thrown
  // unchanged, and failed_example() gives the position. f may call other engines; it may call this engine only if this
  // engine has one thread (GraphError otherwise).
  template <std::ranges::random_access_range X, class F>
  auto record(const X& examples, F f, RecordOptions options = {}) {
    using Example = std::ranges::range_reference_t<const X>;
    using R = typename detail::ResultOf<F, Example>::type;
    const auto first = std::ranges::begin(examples);
    auto at = [&](size_t i) -> Example { return first[static_cast<std::ranges::range_difference_t<const X>>(i)]; };
    const size_t n = std::ranges::size(examples);
    if constexpr (detail::Recording<R>::waits && !std::is_reference_v<Example>) {
      std::vector<std::optional<Example>> kept(n);  // the range makes temporaries, which a task may refer to
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

  // The position of the example whose exception the last record(), or the last minibatch of a Pipeline, threw; nullopt
  // if it threw none.
  std::optional<size_t> failed_example() const;

  // Computes the value and everything it needs that is not computed yet, and waits. In a loop over examples this makes
  // batches of one. A computed value does not change when parameters change. A value that is computed after a change
  // has everything it needs recomputed, so no value mixes old and new parameters.
  float value(Expr x);
  Tensor tensor(Expr x);
  std::vector<Tensor> tensors(std::span<const Expr> xs);  // several values in one round; they share one block
  // Values of equal shape in one round, as one tensor [n, shape...]. ShapeError if two shapes differ, or if a value has
  // Shape::max_rank axes. n = 0 gives [0].
  Tensor stack(std::span<const Expr> xs);

  // Runs the batch with rows reused, waits, and closes the graphs. Results keep their structure, with a Tensor in place
  // of each Expr; a struct of Exprs becomes a tuple. Host values are copied, or moved from an rvalue batch.
  template <class T>
  std::vector<detail::Values<T>> infer(const Batch<T>& batch) {
    return infer_results<T>(batch.results);
  }
  template <class T>
  std::vector<detail::Values<T>> infer(Batch<T>&& batch) {
    return infer_results<T>(std::move(batch.results));
  }
  // The same as one tensor [n, shape...]; ShapeError as for stack().
  Tensor infer_stacked(const Batch<Expr>& batch);

  // infer() without waiting: while a GPU computes, the next batch can be recorded. get() returns the results.
  template <class T>
  Inference<T> start(Batch<T>&& batch) {
    std::vector<Expr> all;
    if constexpr (detail::can_be_searched<T>()) all = detail::exprs_of(batch.results);
    detail::PendingTensors tensors = infer_all(all);
    return {std::move(batch.results), std::move(tensors)};
  }

  // Joins the shards into one graph with the examples in order, as one thread would have recorded it. Calls of
  // different shards then run together, and equal calls run once. Exprs in the results and emitted values are updated;
  // copies kept elsewhere become stale. O(calls + edges), in one thread.
  template <class T>
  Batch<T> merge(Batch<T> batch) {
    if constexpr (detail::can_be_searched<T>()) {
      std::vector<Expr*> held;
      if (batch.shards.size() > 1) detail::each_expr(batch.results, [&](Expr& x) { held.push_back(&x); });
      merge_all(batch.shards, held);
    }
    return batch;
  }

  // Gradient of Σ scale · loss. Pass the losses of the examples as a list: adding them into one Expr ties all examples
  // to one thread. If parameters have changed since a graph ran, it runs again first, so loss and gradients are those
  // of a fresh recording; GraphError if it cannot run again, as for rerun().
  Gradients backward(std::span<const Expr> losses, float scale = 1);
  Gradients backward(Expr loss);
  template <std::same_as<Expr> T>
  Gradients backward(const Batch<T>& batch, float scale = 1) {
    return backward(std::span<const Expr>(batch.results), scale);
  }

  // Recomputes every computed value with the present parameters and the same random numbers. Tensors that were read do
  // not change. GraphError: infer() has closed the graph, or a Task waited for values and recorded more, which it might
  // do differently now; record the graph again.
  void rerun(const Graph& graph) { rerun_all({&graph, 1}); }
  template <class T>
  void rerun(const Batch<T>& batch) {
    rerun_all(batch.shards);
  }
  void watch(Expr x);  // keeps the gradient of a value that is not a parameter, in the next backward()

  // Waits until the device has completed all work, updates included. For measurements: reading a value waits anyway.
  void wait();

  // How the graph would run, without running it: steps, memory, calls that do not batch, and why. A graph of
  // Mode::infer is planned as infer() runs it: rows are reused, and values that no call reads are kept.
  // O(calls + edges) for the whole graph, and again for each cell that has a step of one call.
  DryRun dry_run(const Graph& graph) const;
  template <class T>
  DryRun dry_run(const Batch<T>& batch) const {
    DryRun all;
    for (const Graph& g : batch.shards) all += dry_run(g);
    return all;
  }
  // The same as text, per graph.
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
  // Time per stage and, if `timed`, per cell, as text. Waits for a GPU.
  std::string profile() const;
  void set_timed(bool timed);  // changes EngineOptions::timed
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
      return detail::results_with<T>(infer_all(detail::exprs_of(results)).get(), std::forward<Results>(results));
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
