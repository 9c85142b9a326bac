// EngineState: the sessions and threads of an engine, and memory that it reuses from minibatch to minibatch.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/workers.h"
#include "engine/guard.h"
#include "engine/session/session.h"
#include "graph/append.h"
#include "param/shard_sums.h"

namespace espalier::detail {

// Values that belong to one session.
struct SessionValues {
  Session* session = nullptr;
  std::vector<uint32_t> values;
  size_t next = 0;  // used by read_later()
};

struct EngineState {
  explicit EngineState(const EngineOptions& of_engine);
  EngineCall enter(std::string_view who) const { return EngineCall(*access, who); }

  EngineOptions options;
  std::shared_ptr<Workers> workers;
  const std::shared_ptr<SharedByExecutors> shared = make_shared_by_executors();
  std::vector<std::shared_ptr<Session>> sessions;  // free if no Graph or pipeline shares it
  const std::shared_ptr<EngineAccess> access = std::make_shared<EngineAccess>();
  double record_s = 0;
  std::optional<size_t> failed_example;  // of the last recording

  // ---- lending.cc: sessions and gradients; the last user of one frees it by dropping its pointer
  std::shared_ptr<Session> lend();
  std::shared_ptr<GradientState> lend_gradients();
  // GraphError: the value is empty, stale or of a cell, or another engine recorded it.
  Session& session_of(Expr x, std::string_view who) const;
  Session& session_of(const Graph& graph, std::string_view who) const;

  // ---- shards.cc
  // Cuts the examples into one contiguous range per shard, of about equal total size. Returns the first example of each
  // shard, then the number of examples. Assign the result to `spare_begins` after use to keep its memory.
  std::vector<size_t> cut(size_t examples, std::span<const uint32_t> sizes);
  std::vector<size_t> spare_begins;

  // ---- values.cc
  // Groups values by session, in the order of the sessions' first value. Valid until the next call.
  std::span<SessionValues> by_session(std::span<const Expr> xs, std::string_view who);
  // ShapeError unless all values have the same shape, of fewer than Shape::max_rank axes.
  static void check_stack(std::span<const Expr> xs, std::span<SessionValues> grouped, std::string_view who);
  // Reads values into one block: one read per session, all started before any is waited for. The tensors are those of
  // the first session, then of the second, or in the order of `xs`, which by_session() has grouped.
  static PendingTensors read_later(std::span<const SessionValues> of_sessions);
  static PendingTensors read_later(std::span<const Expr> xs, std::span<SessionValues> grouped);

  // ---- threads.cc
  // Calls f(SessionValues&, size_t index) for all sessions, one thread each. Throws the first failure in session order.
  template <class F>
  void in_threads(std::span<SessionValues> of, F&& f) {
    run_in_threads(of, std::ref(f));  // by reference: nothing is allocated
  }
  // Calls f(SessionValues&, size_t index, GradientState&) for all sessions, one thread and one GradientState each.
  // Returns the sum of the gradients, added in session order.
  template <class F>
  Gradients gradients_of(std::span<SessionValues> of, F&& f) {
    return sum_of_gradients(of, std::ref(f));
  }

  Appender appender;

 private:
  void run_in_threads(std::span<SessionValues> of, const std::function<void(SessionValues&, size_t)>& f);
  Gradients sum_of_gradients(std::span<SessionValues> of,
                             const std::function<void(SessionValues&, size_t, GradientState&)>& f);

  // ---- memory that is reused from minibatch to minibatch
  std::vector<std::shared_ptr<GradientState>> gradients_;
  std::vector<SessionValues> grouped_;
  std::vector<std::exception_ptr> errors_;
  std::vector<std::shared_ptr<GradientState>> parts_;
  ShardSums shard_sums_;
};

}  // namespace espalier::detail
