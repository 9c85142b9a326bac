// Session: a graph and everything needed to run it: tape, layout, planners, executor. An engine lends sessions as
// Graphs.
#pragma once
#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include <espalier/engine/engine.h>
#include "engine/session/host_copies.h"
#include "engine/session/planned_round.h"
#include "exec/executor.h"
#include "graph/tape.h"

namespace espalier::detail {

class Session final : Computed {
 public:
  // With an executor of its own.
  explicit Session(const EngineOptions& options, std::shared_ptr<SharedByExecutors> shared = nullptr);
  // Borrows another session's executor. The owner reads its counters and waits for it.
  Session(const EngineOptions& options, std::shared_ptr<Executor> executor);
  const std::shared_ptr<Executor>& executor() const { return executor_; }

  GraphTape tape;
  void start(bool train, uint64_t seed, uint64_t epoch);  // clears the tape for a new graph

  // ---- session.cc: schedule, plan, execute
  // Computes the values and everything they need that is not computed yet: one round. With `reuse`, rows are freed
  // after their last reader, and the graph is closed. All rows of a graph are computed with one version of its
  // parameters: if a parameter has changed since an earlier round, all rows are forgotten, and recomputed on demand.
  void run(std::span<const uint32_t> values, bool reuse = false) { run(plan(values, reuse)); }
  // The same in two parts. plan() touches nothing outside this session, except with `poison`. If it throws, no round is
  // planned; outdated rows may have been forgotten.
  // With `defer`, the round must be followed by a backward pass of the values, which runs wide batches of losses.
  PlannedRound plan(std::span<const uint32_t> values, bool reuse, bool defer = false);
  void run(PlannedRound&& round);      // a round that fails is discarded
  void discard(PlannedRound&& round);  // drops a planned round without executing it

  // Adds the gradient of Σ scale · loss to `to`. If a parameter has changed since the graph ran, the graph runs again
  // first.
  void backward(std::span<const uint32_t> losses, float scale, GradientState& to);
  // The same in two parts. The rounds of the losses must be planned before the first part and run before the second.
  PlannedBackward plan_backward(std::span<const uint32_t> losses, float scale);
  void run(PlannedBackward&& planned, GradientState& to);
  std::vector<Expr> watched;                                  // values whose gradients the next backward() keeps
  void check_losses(std::span<const uint32_t> losses) const;  // ShapeError: a loss is not a scalar

  // Recomputes, round by round, everything that is computed, with the present parameters.
  void rerun();
  void check_rerun(std::string_view who) const;  // GraphError: the graph is closed, or depends on computed values
  DryRun dry_run() const;

  // ---- rows.cc: which rows are computed, and their values
  Tensor read(uint32_t value);  // the value must be computed; waits
  std::shared_ptr<const PendingRows> read_later(std::span<const uint32_t> values, float* out);
  void fetch(std::span<const uint32_t> values);  // copies computed values to the host for find(), in one read

  // Calls recorded between begin_dependence() and end_dependence() may depend on computed values, because examples have
  // read some. Such a graph cannot run again with other parameters.
  void begin_dependence() { first_dependent_call_ = std::min(first_dependent_call_, tape.calls()); }
  void end_dependence();
  bool depends_on_values() const { return depends_on_values_ || tape.calls() > first_dependent_call_; }
  void set_depends_on_values() { depends_on_values_ = true; }

  // ---- counters.cc
  unsigned concurrent_executors = 1;  // number of sessions that run at the same time
  void wait() { executor_->wait(); }
  void set_timed(bool timed) { executor_->set_timed(timed); }
  const CellTimes& cells() const { return executor_->cells; }
  void count(Counters& into) const;
  void reset_counters();
  void take_counters(Session& from);  // moves the counters of `from`, without those of its executor

 private:
  const float* find(uint32_t value) override;
  void sync();
  bool is_outdated();
  void forget_values();
  void find_pending(std::span<const uint32_t> values);
  void execute(PlannedRound& round);
  void execute(PlannedBackward& planned, GradientState& to);
  void check_call(uint32_t call, Where at);
  PlanOptions plan_options(bool reuse, bool defer = false) const;
  ExecutionInputs inputs(GradientState* gradients = nullptr) const;

  EngineOptions options_;
  Scheduler scheduler_;
  ForwardPlanner forward_;
  BackwardPlanner backward_;
  std::shared_ptr<Executor> executor_;
  PlannedRound spare_round_;  // memory for the next round
  PlannedBackward spare_backward_;
  std::vector<uint32_t> pending_, watched_values_;
  std::vector<uint8_t> needed_;  // per call; all zero between rounds

  // ---- computed rows
  Layout layout_;
  HostCopies copies_;
  std::vector<Range> rows_;
  std::vector<uint32_t> round_begins_;               // per executed round: its first batch in layout_.batches
  uint64_t computed_with_ = 0;                       // no parameter that rows were computed with had a later version
  std::vector<const ParameterStorage*> parameters_;  // read by the first parameters_until_ batches
  size_t parameters_until_ = 0;
  std::vector<uint8_t> is_cell_listed_;  // per cell of the tape: its parameters are in parameters_
  static constexpr uint32_t never = ~uint32_t{0};
  uint32_t first_dependent_call_ = never;
  bool depends_on_values_ = false;

  Counters counters_;
  uint64_t shared_at_reset_ = 0;
};

}  // namespace espalier::detail
