// A graph and everything needed to run it: tape, layout, planners, executor. An engine lends sessions as Graphs.
#pragma once
#include <memory>
#include <vector>

#include <espalier/engine/engine.h>
#include "engine/host_copies.h"
#include "exec/executor.h"
#include "graph/tape.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace espalier::detail {

class Session final : Computed {
 public:
  explicit Session(const EngineOptions& options);
  // One that runs where others do, too, when it is its turn; the executor is theirs to count and to wait for.
  Session(const EngineOptions& options, std::shared_ptr<Executor> executor);
  const std::shared_ptr<Executor>& executor() const { return executor_; }

  GraphTape tape;

  // Runs what the values need and has not run yet: one round. With `reuse`, rows are freed after their last reader, and
  // the graph is closed.
  void run(std::span<const uint32_t> values, bool reuse = false) {
    plan(values, reuse);
    run_planned();
  }
  // The same in two parts, of which the first touches nothing but this session.
  void plan(std::span<const uint32_t> values, bool reuse);
  void run_planned();
  Tensor read(uint32_t value);
  std::shared_ptr<const PendingRows> read_later(std::span<const uint32_t> values);
  void fetch(std::span<const uint32_t> values);  // copies of computed values for find(), read together

  // Gradient of Σ scale · loss, added to `to`.
  void backward(std::span<const uint32_t> losses, float scale, GradientState& to);
  // The same in two parts, behind plan() and run_planned().
  void plan_backward(std::span<const uint32_t> losses, float scale);
  void run_backward(GradientState& to);
  std::vector<Expr> watched;  // for the next backward
  unsigned beside = 1;        // sessions that run at the same time

  void wait() { executor_->wait(); }
  void start(bool train, uint64_t seed, uint64_t epoch);  // for a new graph
  DryRun dry_run() const;
  void set_timed(bool timed) { executor_->set_timed(timed); }
  const CellTimes& cells() const { return executor_->cells; }
  void count(Counters& into) const;
  void reset_counters();
  void take_counters(Session& from);  // what it did itself, not its executor

 private:
  const float* find(uint32_t value) override;
  void sync();
  void find_pending(std::span<const uint32_t> values);
  void check_call(uint32_t call, Where at);
  uint32_t prologue_below() const;
  PlanOptions plan_options(bool reuse) const;
  RunInputs inputs() const;

  EngineOptions options_;
  Layout layout_;
  Scheduler scheduler_;
  Schedule schedule_;
  ForwardPlanner forward_;
  BackwardPlanner backward_;
  Plan plan_, backward_plan_;
  bool is_planned_ = false, reuse_ = false;  // and not run
  std::shared_ptr<Executor> executor_;
  std::vector<uint32_t> pending_, watched_values_;
  std::vector<uint8_t> needed_;  // per call; all zero between rounds
  HostCopies copies_;
  std::vector<Range> rows_;
  std::vector<uint64_t> loss_rows_;
  double scale_ = 1;
  Counters counters_;
  uint64_t shared_at_reset_ = 0;
};

}  // namespace espalier::detail
