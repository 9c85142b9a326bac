// The stages of a round: record -> schedule -> plan -> execute. The user records the session's tape; plan() schedules
// and plans one round of it, and run() executes that round.
#include "engine/session/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "engine/dry_run/dry_run_plan.h"
#include "exec/profiler_range.h"

namespace espalier::detail {
namespace {

using Clock = std::chrono::steady_clock;

// RAII: adds the seconds of its scope to `total`, and shows the scope to profilers under `name`.
class Timer {
 public:
  Timer(double& total, const char* name) : shown_(name), total_(total) {}
  ~Timer() { total_ += std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  ProfilerRange shown_;
  double& total_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

Session::Session(const EngineOptions& options, std::shared_ptr<SharedByExecutors> shared)
    : Session(options, make_executor(options.device, options.precision, std::move(shared))) {
  set_timed(options.timed);
}

Session::Session(const EngineOptions& options, std::shared_ptr<Executor> executor)
    : options_(options), executor_(std::move(executor)) {
  tape.memoise = options.memoise;
  tape.computed = this;
  if (options.immediate) tape.on_call = [this](uint32_t call, Where at) { check_call(call, at); };
}

void Session::start(bool train, uint64_t seed, uint64_t epoch) {
  tape.clear();
  tape.train = train;
  tape.seed = seed;
  tape.epoch = epoch;
  tape.begin_example(0);
  watched.clear();
  concurrent_executors = 1;
  first_dependent_call_ = never;
  depends_on_values_ = false;
}

// ---- one round

PlannedRound Session::plan(std::span<const uint32_t> values, bool reuse, bool defer) {
  sync();
  PlannedRound round = std::exchange(spare_round_, {});
  round.schedule.clear();
  round.reuse = reuse;
  {
    const Timer timer(counters_.schedule_s, "schedule");
    find_pending(values);
  }
  if (pending_.empty()) return round;
  if (is_outdated()) {
    check_rerun("graph");
    forget_values();
    find_pending(values);
  }
  {
    const Timer timer(counters_.schedule_s, "schedule");
    scheduler_.run(tape, pending_, options_.immediate ? Policy::none : options_.policy, round.schedule);
  }
  const Timer timer(counters_.plan_s, "plan");
  round.before = layout_.mark();
  round.first_batch = static_cast<uint32_t>(layout_.batches.size());
  forward_.plan(tape, round.schedule, values, plan_options(reuse, defer), layout_, round.plan);
  return round;
}

void Session::run(PlannedRound&& round) {
  if (!round.empty()) {
    try {
      execute(round);
    } catch (...) {
      discard(std::move(round));
      throw;
    }
    round_begins_.push_back(round.first_batch);
    ++counters_.rounds;
    counters_.calls += round.schedule.order.size();
    counters_.steps += round.schedule.steps.size();
  }
  if (round.reuse) tape.closed = true;
  spare_round_ = std::exchange(round, {});
}

void Session::execute(PlannedRound& round) {
  ESPALIER_CHECK(layout_.rounds == round.before.rounds + 1);  // no round was planned or forgotten since plan()
  // The first round fixes the version: parameters may have changed since plan(), and the round reads them as they are
  // now.
  if (round.first_batch == 0) computed_with_ = latest_parameter_version.load(std::memory_order_relaxed);
  const ProfilerRange shown("run");
  executor_->run(round.plan, inputs());
}

void Session::discard(PlannedRound&& round) {
  if (round.empty()) return;  // nothing is planned, or it has run
  layout_.revert(round.before, round.schedule.order);
  spare_round_ = std::exchange(round, {});
}

PlanOptions Session::plan_options(bool reuse, bool defer) const {
  // A row reference has 32 bits and counts units, which bounds the addressable rows.
  const uint64_t addressable = (uint64_t{1} << 32) * unit;
  const uint64_t limit =
      options_.memory_limit == 0 ? addressable : std::min(addressable, uint64_t{options_.memory_limit / sizeof(float)});
  return {limit,
          executor_->row_limit(),
          reuse,
          executor_->cache_bytes(),
          options_.chunk_rows,
          options_.policy == Policy::none ? 0 : options_.hoist_below,  // policy none runs one call at a time
          executor_->recomputes(),
          limit,
          defer};
}

ExecutionInputs Session::inputs(GradientState* gradients) const {
  return {&layout_, tape.data.data(), tape.data.size(), tape.train, options_.poison, concurrent_executors, gradients};
}

// ---- the backward pass

void Session::check_losses(std::span<const uint32_t> losses) const {
  for (uint32_t v : losses)
    if (const Shape& shape = tape.shape(v); shape.rank != 0)
      throw ShapeError("backward: a loss is " + str(shape) + "; it must be a scalar: sum_elements(loss)");
}

void Session::backward(std::span<const uint32_t> losses, float scale, GradientState& to) {
  std::erase_if(watched, [&](Expr x) { return !tape.current(x.id(), x.stamp()); });  // reverted or cleared since
  watched_values_.clear();
  for (Expr x : watched) watched_values_.push_back(x.id());
  sync();
  if (is_outdated()) {
    check_rerun("backward");
    forget_values();
  }
  PlannedRound round = plan(losses, false, watched_values_.empty());
  if (round.empty() || !round.plan.defers) {
    run(std::move(round));
    if (!watched_values_.empty()) run(watched_values_);
    return run(plan_backward(losses, scale), to);
  }
  PlannedBackward planned;
  try {
    planned = plan_backward(losses, scale);
  } catch (...) {
    discard(std::move(round));
    throw;
  }
  run(std::move(round));
  run(std::move(planned), to);
}

PlannedBackward Session::plan_backward(std::span<const uint32_t> losses, float scale) {
  const Timer timer(counters_.plan_s, "plan");
  PlannedBackward planned = std::exchange(spare_backward_, {});
  planned.loss_rows.clear();
  for (uint32_t v : losses) planned.loss_rows.push_back(layout_.address(tape.source(v)));
  planned.scale = static_cast<double>(scale);
  backward_.plan(tape, layout_, losses, planned.scale, watched_values_, plan_options(false), planned.plan);
  return planned;
}

void Session::run(PlannedBackward&& planned, GradientState& to) {
  execute(planned, to);
  executor_->add_sum(planned.loss_rows, planned.scale, to.loss);
  {
    const ProfilerRange shown("accumulate");
    executor_->accumulate(planned.plan, inputs(), to);
  }
  for (size_t i = 0; i < watched.size(); ++i) {
    const WatchedRow& w = planned.plan.watched[i];
    const Shape& shape = tape.shape(w.value);
    std::vector<float> gradient(static_cast<size_t>(shape.size()));
    const Range row{w.offset, gradient.size()};
    if (w.offset != no_offset) executor_->read({&row, 1}, gradient.data());
    to.watched.push_back({tape.entry(), w.value, watched[i].stamp(), {shape, std::move(gradient)}});
  }
  watched.clear();
  spare_backward_ = std::exchange(planned, {});
}

// Runs the steps. If that fails, deferred calls count as not computed.
void Session::execute(PlannedBackward& planned, GradientState& to) {
  auto end_deferral = [&](bool computed) {
    for (uint32_t i = 0; i < layout_.batches.size(); ++i) {
      CellBatch& batch = layout_.batches[i];
      if (!std::exchange(batch.deferred, false) || computed) continue;
      for (const uint32_t call : std::span(layout_.calls).subspan(batch.first_call, batch.rows))
        layout_.call_rows[call] = {};
    }
  };
  try {
    const ProfilerRange shown("backward");
    executor_->run(planned.plan, inputs(&to));
  } catch (...) {
    end_deferral(false);
    throw;
  }
  for (const PlanStep& step : planned.plan.steps)
    if (!step.backward && !step.batch->deferred) counters_.recomputed_calls += step.rows;
  end_deferral(true);
}

// ---- rerun

void Session::check_rerun(std::string_view who) const {
  if (tape.closed)
    throw GraphError(std::string(who) + ": the graph is closed by infer, its rows were reused; record it again");
  if (depends_on_values())
    throw GraphError(std::string(who) +
                     ": the graph cannot run again with other parameters, because tasks recorded calls that depend "
                     "on computed values; record it again");
}

// Each round requests the values of all calls that it ran the first time, so the schedules and the bits are the same.
void Session::rerun() {
  sync();
  check_rerun("rerun");
  std::vector<uint32_t> values;
  std::vector<size_t> ends;
  round_begins_.push_back(static_cast<uint32_t>(layout_.batches.size()));
  for (size_t r = 0; r + 1 < round_begins_.size(); ++r) {
    for (uint32_t i = round_begins_[r]; i < round_begins_[r + 1]; ++i) {
      const CellBatch& batch = layout_.batches[i];
      for (const uint32_t call : std::span(layout_.calls).subspan(batch.first_call, batch.rows))
        if (call < layout_.call_rows.size() && layout_.call_rows[call].batch == i)
          values.push_back(tape.call[call].first_value);
    }
    ends.push_back(values.size());
  }
  forget_values();
  size_t begin = 0;
  for (const size_t end : ends) {
    run(std::span(values).subspan(begin, end - begin));
    begin = end;
  }
}

// Immediate mode: runs a call and stops at a NaN.
void Session::check_call(uint32_t call, Where at) {
  const Program& p = tape.program(call);
  const uint32_t first = tape.call[call].first_value;
  for (uint32_t k = 0; k < p.outputs.size(); ++k) {
    const uint32_t value = first + k;
    run({&value, 1});
    const Tensor t = read(value);
    for (size_t e = 0; e < t.size(); ++e)
      if (std::isnan(t[e]))
        throw NumberError(str(p.name) + ": call " + std::to_string(call) + " gives nan in element " +
                          std::to_string(e) + " of " + str(t.shape()) + "; no call before it gives nan" + str(at));
  }
}

DryRun Session::dry_run() const {
  PlanOptions options = plan_options(!tape.train);
  options.limit_elements = ~uint64_t{0};
  return detail::dry_run(tape, options_.policy, options);
}

}  // namespace espalier::detail
