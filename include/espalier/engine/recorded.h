// Recorded: a function that records an example once and replays the recording from then on, at a few ns per call and
// without running the user's code. The same graph, and so the same bits, as recording anew.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <espalier/engine/engine.h>

namespace espalier {

struct RecordedOptions {
  size_t memory_limit = 0;  // bytes of recordings and their cells; the least recently used are evicted; 0: no limit
};

namespace detail {
inline constexpr char recorded_name[] = "recorded";

// An Expr of a kept result: the number of values of the example before it. An empty Expr stays empty.
inline Expr absolute(Expr relative, Expr first) {
  return relative.stamp() == 0 ? Expr() : Expr(first.entry(), first.id() + relative.id(), first.stamp());
}

// An example on a graph. The value with relative id r is absolute(Expr(nullptr, r, 1), first).
struct ReplayedExample {
  std::shared_ptr<const void> result;  // as given to keep(); null: the example is not kept
  Expr first;                          // its first value; with engine.merge, it must be part of the batch's results
};

class PinnedMinibatch;

// The recordings of a Recorded, without its types. Thread-safe.
class ESPALIER_API RecordedCore {
 public:
  explicit RecordedCore(const RecordedOptions& options);
  RecordedCore(const RecordedCore&) = delete;
  RecordedCore& operator=(const RecordedCore&) = delete;
  ~RecordedCore();

  // Appends the recording of an example to the graph, whose mode selects it. If it is not kept, the result is null.
  ReplayedExample replay(Graph& graph, uint64_t id) const;

  // The state of a graph before an example is recorded.
  class ESPALIER_API Start {
   public:
    Start(const RecordedCore& core, const Graph& graph);
    ~Start();
    Start(const Start&) = delete;
    Start& operator=(const Start&) = delete;
    // An Expr of the result, relative to the example. GraphError: another example or graph recorded it.
    Expr relative(Expr x) const;

   private:
    friend class RecordedCore;
    friend class PinnedMinibatch;
    struct State;
    std::unique_ptr<State> state_;
  };
  // Keeps what was recorded since `start`. `bytes`: size of the result. GraphError: the example cannot be kept.
  void keep(uint64_t id, const Start& start, std::shared_ptr<const void> result, size_t bytes) const;

  void forget();
  void forget(uint64_t id);
  size_t size() const;
  size_t bytes() const;
  uint64_t hits() const;
  uint64_t misses() const;

 private:
  friend class PinnedMinibatch;
  struct State;
  std::unique_ptr<State> state_;
};

// For callers whose function must run in the calling thread (Python): records the missing examples of a minibatch one
// after the other, and pins all of them; replay() then runs in any thread, in record() or in a pipeline.
class ESPALIER_API PinnedMinibatch {
 public:
  // Records one example into a scratch graph. The result holds relative Exprs (Start::relative) only. `bytes`: its
  // size.
  using RecordMissing =
      std::function<std::shared_ptr<const void>(Graph&, uint64_t id, const RecordedCore::Start&, size_t& bytes)>;

  // Throws the exception of the first example that fails, with its position, as record() does; with
  // options.skip_bad, failed examples are left out and listed in failed().
  PinnedMinibatch(Engine& engine, RecordedCore& core, const Minibatch& minibatch, const RecordOptions& options,
                  const RecordMissing& record_missing);
  PinnedMinibatch(PinnedMinibatch&&) noexcept;
  PinnedMinibatch& operator=(PinnedMinibatch&&) noexcept;
  ~PinnedMinibatch();

  const std::vector<Failure>& failed() const;
  const Minibatch& minibatch() const;
  // Appends example i of minibatch() to a graph. The result is null if it failed. Thread-safe.
  ReplayedExample replay(Graph& graph, size_t i) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One result per example that did not fail, as record() gives. Batch::results[i].first belongs to the shard of example
// i.
ESPALIER_API Batch<ReplayedExample> record(Engine& engine, const PinnedMinibatch& pinned, RecordOptions options);

}  // namespace detail

// A function like f(Graph&, id) -> T, for Engine::record and Pipeline:
//
//   Recorded kept([&](Graph& g, uint64_t id) { return model.loss(g, trees[id]); }, {.memory_limit = 1 << 30});
//   auto batch = engine.record(minibatch, kept);  // the first epoch runs f, later epochs replay
//
// Everything that f reads besides its Graph is frozen when the example is recorded. Only random numbers of ops
// (dropout) differ between epochs. Parameters may change, be frozen or be loaded. After redefining a cell, or changing
// examples or settings that f reads, call forget(). When the Parameters of a kept cell are destroyed, all recordings
// are dropped. The modes train and infer have separate recordings. An engine with `immediate` always runs f.
//
// GraphError while recording: f calls Graph::random or Graph::example, reverts calls of another example, or reads
// values that were recorded outside of it. A Task cannot be kept. Copies share their recordings; several threads and
// engines may use them at the same time.
template <class F>
class Recorded {
  using Given = typename detail::ResultOf<F, uint64_t>::type;
  static_assert(!detail::Recording<Given>::waits,
                "a Task waits for values, which may differ in every epoch, so its recording cannot be kept");

 public:
  using Result = detail::Settled<Given>;
  static_assert(std::copy_constructible<Result>, "a kept result is copied in every epoch; return a type with a copy");

  explicit Recorded(F f, const RecordedOptions& options = {})
      : state_(std::make_shared<State>(std::move(f), options)) {}

  // Appends example `id` to the graph: the kept recording, or else what f records, which is then kept.
  Result operator()(Graph& g, uint64_t id) const {
    if (const detail::ReplayedExample kept = state_->core.replay(g, id); kept.result != nullptr) {
      Result result = *static_cast<const Result*>(kept.result.get());
      if constexpr (detail::can_be_searched<Result>())
        detail::each_expr(result, [&](Expr& x) { x = detail::absolute(x, kept.first); });
      return result;
    }
    const detail::RecordedCore::Start start(state_->core, g);
    Result result = call(g, id);
    const auto relative = std::make_shared<Result>(result);
    size_t bytes = sizeof(Result);
    if constexpr (detail::can_be_searched<Result>())
      detail::each_expr(*relative, [&](Expr& x) {
        x = start.relative(x);
        bytes += sizeof(Expr);
      });
    state_->core.keep(id, start, relative, bytes);
    return result;
  }

  void forget() { state_->core.forget(); }
  void forget(uint64_t id) { state_->core.forget(id); }
  size_t size() const { return state_->core.size(); }    // recordings kept
  size_t bytes() const { return state_->core.bytes(); }  // their memory, without host values of results
  uint64_t hits() const { return state_->core.hits(); }  // examples replayed
  uint64_t misses() const { return state_->core.misses(); }

 private:
  struct State {
    State(F of, const RecordedOptions& options) : f(std::move(of)), core(options) {}
    F f;
    detail::RecordedCore core;
  };
  Result call(Graph& g, uint64_t id) const {
    if constexpr (std::is_void_v<std::invoke_result_t<F&, Graph&, uint64_t>>)
      return state_->f(g, id), Result();
    else
      return state_->f(g, id);
  }
  detail::Owned<std::shared_ptr<State>, detail::recorded_name> state_;
};

}  // namespace espalier
