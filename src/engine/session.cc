#include "engine/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "engine/dry_run/trial.h"
#include "exec/profiler_range.h"

namespace espalier::detail {
namespace {

using Clock = std::chrono::steady_clock;

// Adds the time from its making to its end; profilers see it by name.
class Timer {
 public:
  Timer(double& total, const char* name) : shown_(name), total_(total) {}
  ~Timer() { total_ += std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  ProfilerRange shown_;
  double& total_;
  Clock::time_point start_ = Clock::now();
};

const float comes = 0;  // stands for a copy that is about to be made

}  // namespace

Session::Session(const EngineOptions& options) : Session(options, make_executor(options.device, options.precision)) {
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
  beside = 1;
  told_at_ = never;
  depends_on_values_ = false;
}

// The user may have cleared or reverted the graph since we last looked.
void Session::sync() {
  const uint32_t left = tape.low_water;
  if (left == 0 && !layout_.place.empty()) {
    forget_values();
    depends_on_values_ = false;
  } else if (left < layout_.place.size()) {
    layout_.truncate(left);
    // A value is kept where its call computes it: behind the last call that is left there is none.
    copies_.forget_from(tape.call[left - 1].first_value + static_cast<uint32_t>(tape.program(left - 1).outputs.size()));
  }
  tape.low_water = tape.calls();
}

// Forgets what was computed, not what was recorded.
void Session::forget_values() {
  layout_.clear();
  copies_.forget_from(0);
  parameters_.clear();
  parameters_until_ = 0;
  std::ranges::fill(cell_looked_at_, 0);
  round_begins_.clear();
  if (options_.poison) executor_->poison_all();
}

// Whether a parameter has changed since rows were computed with it. One comparison, where none has.
bool Session::is_outdated() {
  const uint64_t latest = latest_parameter_version.load(std::memory_order_relaxed);
  if (latest == computed_with_ || layout_.runs.empty()) return false;
  cell_looked_at_.resize(tape.cells.size(), 0);
  for (; parameters_until_ < layout_.runs.size(); ++parameters_until_) {
    const CellRun& run = layout_.runs[parameters_until_];
    if (std::exchange(cell_looked_at_[run.cell], 1) != 0) continue;
    for (const auto& slot : run.program->parameters) parameters_.push_back(slot.get());
  }
  for (const Slot* slot : parameters_)
    if (slot->data.version() > computed_with_) return true;
  computed_with_ = latest;
  return false;
}

void Session::check_rerun(std::string_view who) const {
  if (tape.closed)
    throw GraphError(std::string(who) + ": the graph is closed by infer, its rows were reused; record it again");
  if (depends_on_values())
    throw GraphError(std::string(who) +
                     ": the graph would run again with other parameters, but tasks recorded it by values that they "
                     "waited for; record it again");
}

void Session::rerun() {
  sync();
  check_rerun("rerun");
  // What a round computed follows from the values of all its calls, so that schedules and bits are those of the first
  // time.
  std::vector<uint32_t> values;
  std::vector<size_t> ends;
  round_begins_.push_back(static_cast<uint32_t>(layout_.runs.size()));
  for (size_t r = 0; r + 1 < round_begins_.size(); ++r) {
    for (uint32_t i = round_begins_[r]; i < round_begins_[r + 1]; ++i) {
      const CellRun& run = layout_.runs[i];
      for (const uint32_t call : std::span(layout_.calls).subspan(run.first_call, run.rows))
        if (call < layout_.place.size() && layout_.place[call].run == i) values.push_back(tape.call[call].first_value);
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

void Session::end_telling() {
  depends_on_values_ = depends_on_values();
  told_at_ = never;
}

// Looks no further back than it must: a graph that runs in many rounds is not walked in each.
void Session::find_pending(std::span<const uint32_t> values) {
  needed_.resize(tape.calls(), 0);
  uint32_t last = 0, found = 0;
  auto need = [&](uint32_t value) {
    const uint32_t call = tape.value[value].call;
    if (needed_[call] != 0 || layout_.ran(call)) return;
    needed_[call] = 1;
    ++found;
    last = std::max(last, call + 1);
  };
  for (uint32_t v : values) need(v);
  pending_.clear();
  for (uint32_t c = last; found > 0;) {
    if (needed_[--c] == 0) continue;
    needed_[c] = 0;
    --found;
    pending_.push_back(c);
    tape.each_argument(c, need);
  }
  std::ranges::reverse(pending_);
}

// Policy none runs one call at a time, whatever could be done for all.
uint32_t Session::prologue_below() const { return options_.policy == Policy::none ? 0 : options_.prologue_below; }

PlanOptions Session::plan_options(bool reuse) const {
  // A row reference is 32 bits in units: what lies beyond cannot be addressed.
  const uint64_t addressable = (uint64_t{1} << 32) * unit;
  return {
      options_.memory_limit == 0 ? addressable : std::min(addressable, uint64_t{options_.memory_limit / sizeof(float)}),
      executor_->row_limit(),
      reuse,
      executor_->cache_bytes(),
      options_.rows_at_once,
      prologue_below()};
}

RunInputs Session::inputs() const {
  return {&layout_, tape.data.data(), tape.data.size(), tape.train, options_.poison, beside};
}

void Session::plan(std::span<const uint32_t> values, bool reuse) {
  sync();
  reuse_ = reuse;
  is_planned_ = false;
  {
    const Timer timer(counters_.schedule_s, "schedule");
    find_pending(values);
  }
  if (pending_.empty()) return;
  if (is_outdated()) {
    check_rerun("graph");
    forget_values();
    find_pending(values);
  }
  {
    const Timer timer(counters_.schedule_s, "schedule");
    scheduler_.run(tape, pending_, options_.immediate ? Policy::none : options_.policy, schedule_);
  }
  const Timer timer(counters_.plan_s, "plan");
  before_ = layout_.mark();
  forward_.plan(tape, schedule_, values, plan_options(reuse), layout_, plan_);
  is_planned_ = true;
}

void Session::run_planned() {
  if (is_planned_) {
    is_planned_ = false;
    const auto first_run = static_cast<uint32_t>(before_.sizes[0]);
    // A round that was planned ahead runs with the parameters of now.
    if (first_run == 0) computed_with_ = latest_parameter_version.load(std::memory_order_relaxed);
    try {
      const ProfilerRange shown("run");
      executor_->run(plan_, inputs());
    } catch (...) {
      layout_.revert(before_, schedule_.order);
      throw;
    }
    round_begins_.push_back(first_run);
    ++counters_.rounds;
    counters_.calls += pending_.size();
    counters_.steps += schedule_.steps.size();
  }
  if (reuse_) tape.closed = true;
}

Tensor Session::read(uint32_t value) {
  Tensor t{tape.shape(value), {}};
  t.data.resize(static_cast<size_t>(t.shape.size()));
  const Range row{layout_.address(tape.source(value)), t.data.size()};
  executor_->read({&row, 1}, t.data.data());
  return t;
}

std::shared_ptr<const PendingRows> Session::read_later(std::span<const uint32_t> values) {
  rows_.clear();
  for (uint32_t v : values)
    rows_.push_back({layout_.address(tape.source(v)), static_cast<uint64_t>(tape.shape(v).size())});
  return executor_->read_later(rows_);
}

void Session::fetch(std::span<const uint32_t> values) {
  rows_.clear();
  size_t n = 0;
  float* to = nullptr;
  try {
    for (uint32_t v : values) {
      const uint32_t source = tape.source(v);
      if (copies_.find(source) != nullptr) continue;
      copies_.set(source, &comes);
      rows_.push_back({layout_.address(source), static_cast<uint64_t>(tape.shape(v).size())});
      n += rows_.back().size;
    }
    to = copies_.take(n);
    executor_->read(rows_, to);
  } catch (...) {
    for (uint32_t v : values)
      if (const uint32_t source = tape.source(v); copies_.find(source) == &comes) copies_.set(source, nullptr);
    throw;
  }
  for (uint32_t v : values)
    if (const uint32_t source = tape.source(v); copies_.find(source) == &comes) {
      copies_.set(source, to);
      to += tape.shape(v).size();
    }
}

const float* Session::find(uint32_t value) {
  sync();
  const uint32_t source = tape.source(value);
  if (const float* copy = copies_.find(source); copy != nullptr) {
    note_told();
    return copy;
  }
  if (!layout_.ran(tape.value[value].call)) return nullptr;
  fetch({&value, 1});
  note_told();
  return copies_.find(source);
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
  run(losses);
  if (!watched_values_.empty()) run(watched_values_);
  plan_backward(losses, scale);
  run_backward(to);
}

void Session::plan_backward(std::span<const uint32_t> losses, float scale) {
  const Timer timer(counters_.plan_s, "plan");
  loss_rows_.clear();
  for (uint32_t v : losses) loss_rows_.push_back(layout_.address(tape.source(v)));
  scale_ = static_cast<double>(scale);
  backward_.plan(tape, layout_, losses, scale_, watched_values_, plan_options(false), backward_plan_);
}

void Session::run_backward(GradientState& to) {
  executor_->add_sum(loss_rows_, scale_, to.loss);
  {
    const ProfilerRange shown("backward");
    executor_->run(backward_plan_, inputs());
  }
  {
    const ProfilerRange shown("accumulate");
    executor_->accumulate(backward_plan_, inputs(), to);
  }
  for (size_t i = 0; i < watched.size(); ++i) {
    const WatchedRow& w = backward_plan_.watched[i];
    Tensor t{tape.shape(w.value), {}};
    t.data.resize(static_cast<size_t>(t.shape.size()));
    const Range row{w.offset, t.data.size()};
    if (w.offset != nowhere) executor_->read({&row, 1}, t.data.data());
    to.watched.push_back({tape.entry(), w.value, watched[i].stamp(), std::move(t)});
  }
  watched.clear();
}

void Session::check_call(uint32_t call, Where at) {
  const Program& p = tape.program(call);
  const uint32_t first = tape.call[call].first_value;
  for (uint32_t k = 0; k < p.outputs.size(); ++k) {
    const uint32_t value = first + k;
    run({&value, 1});
    const Tensor t = read(value);
    for (size_t e = 0; e < t.data.size(); ++e)
      if (std::isnan(t.data[e]))
        throw NumberError(p.name + ": call " + std::to_string(call) + " gives nan in element " + std::to_string(e) +
                          " of " + str(t.shape) + "; every call before it gave numbers" + str(at));
  }
}

DryRun Session::dry_run() const {
  PlanOptions options = plan_options(!tape.train);
  options.limit_elements = ~uint64_t{0};
  return detail::dry_run(tape, options_.policy, options);
}

void Session::count(Counters& c) const {
  const Tally& t = executor_->tally;
  c.rounds += counters_.rounds;
  c.calls += counters_.calls;
  c.shared_calls += counters_.shared_calls + tape.shared_before + tape.shared - shared_at_reset_;
  c.steps += counters_.steps;
  c.launches += t.all_launches();
  c.gathers += t.launches[Tally::gather];
  c.copied_bytes += t.copied_elements * sizeof(float);
  c.weight_products += t.weight_products;
  c.product_flops += t.product_flops;
  c.arena_growths += executor_->growths();
  c.arena_bytes += executor_->bytes();
  c.schedule_s += counters_.schedule_s;
  c.plan_s += counters_.plan_s;
  c.gather_s += t.seconds[Tally::gather];
  c.product_s += t.seconds[Tally::product];
  c.elementwise_s += t.seconds[Tally::elementwise];
  c.other_s += t.seconds[Tally::other];
  c.accumulate_s += t.seconds[Tally::accumulate];
  c.walk_s += t.seconds[Tally::walk];
  c.update_s += t.seconds[Tally::update];
}

void Session::take_counters(Session& from) {
  counters_.rounds += from.counters_.rounds;
  counters_.calls += from.counters_.calls;
  counters_.shared_calls += from.tape.shared_before + from.tape.shared - from.shared_at_reset_;
  counters_.steps += from.counters_.steps;
  counters_.schedule_s += from.counters_.schedule_s;
  counters_.plan_s += from.counters_.plan_s;
  from.counters_ = {};
  from.shared_at_reset_ = from.tape.shared_before + from.tape.shared;
}

void Session::reset_counters() {
  counters_ = {};
  shared_at_reset_ = tape.shared_before + tape.shared;
  executor_->tally = {};
  executor_->cells.reset();
}

}  // namespace espalier::detail
