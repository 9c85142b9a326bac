// A graph and everything needed to run it: tape, layout, planners, executor. An engine lends sessions as Graphs.
#pragma once
#include <algorithm>
#include <memory>
#include <string_view>
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
  // the graph is closed. All rows of a graph are computed with one version of its parameters: where these have changed
  // since an earlier round, what that computed is forgotten, and computed again if it is needed.
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

  // Computes again, round by round, what has been computed, with the present parameters.
  void rerun();
  void check_rerun(std::string_view who) const;  // GraphError: the graph is closed, or what it holds depends on values
  // Examples have been told computed values: what is recorded from here on may depend on them, …
  void note_told() { told_at_ = std::min(told_at_, tape.calls()); }
  void end_telling();  // … up to here
  bool depends_on_values() const { return depends_on_values_ || tape.calls() > told_at_; }
  void set_depends_on_values() { depends_on_values_ = true; }

  // Gradient of Σ scale · loss, added to `to`. Where parameters have changed since the graph ran, it runs again first.
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
  bool is_outdated();
  void forget_values();
  void find_pending(std::span<const uint32_t> values);
  void check_call(uint32_t call, Where at);
  uint32_t prologue_below() const;
  PlanOptions plan_options(bool reuse) const;
  RunInputs inputs() const;

  EngineOptions options_;
  Layout layout_;
  Layout::Mark before_;                  // the round that is planned
  uint64_t computed_with_ = 0;           // the latest version of any parameter when rows were computed first
  std::vector<const Slot*> parameters_;  // of what was computed, in the runs before parameters_until_
  size_t parameters_until_ = 0;
  std::vector<uint8_t> cell_looked_at_;  // for them
  std::vector<uint32_t> round_begins_;   // of each round, in layout_.runs
  static constexpr uint32_t never = ~uint32_t{0};
  uint32_t told_at_ = never;  // calls when examples were first told values
  bool depends_on_values_ = false;
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
