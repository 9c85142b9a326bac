#include "bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>

#include "bench/limit.h"
#include "exec/executor.h"
#include "interrupt.h"
#include "schedule/schedule.h"

namespace espalier::app::bench {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Counts are means over this number of first minibatches, or fewer if they take longer than counting_s.
constexpr int counted_minibatches = 8;
constexpr double counting_s = 10;
// How many minibatches the host may be ahead of the device.
constexpr size_t minibatches_ahead = 2;
// Maximum duration of the window in which launches are timed.
constexpr double timed_s = 0.5;

// ---- peak memory: the resident set as counted by Linux, or device memory

void forget_peak(const Setup& setup) {
  if (setup.on_gpu())
    take_cuda_peak_of_numbers(setup.engine.device.index);
  else
    std::ofstream("/proc/self/clear_refs") << "5";
}

uint64_t peak_bytes(const Setup& setup, const Counters& c) {
  if (setup.on_gpu()) return c.arena_bytes + take_cuda_peak_of_numbers(setup.engine.device.index);
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  return 0;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n == 0 ? 0 : (values[(n - 1) / 2] + values[n / 2]) / 2;
}

// ---- measurement loop

struct Window {
  double examples = 0, tokens = 0, product_flops = 0, loss = 0, seconds = 0, update_s = 0;
};

class Loop {
 public:
  Loop(Task& task, const Setup& setup) : task_(task), setup_(setup), engine_(setup.engine) {
    for (uint64_t i = 0; i < task.examples(); ++i)
      work_.push_back({static_cast<double>(task.tokens(i)), passes() * task.product_flops(i)});
    if (setup.ahead == 0 && !setup.keep_recordings) return;
    losses_of_ = task.losses();
    if (losses_of_ == nullptr)
      throw Error(std::string("bench: this task waits for values while recording, so ") +
                  (setup.ahead > 0 ? "--ahead" : "--keep-recordings") + " cannot be used");
    if (setup.keep_recordings) keep_all();
    if (setup.ahead > 0) pipeline_.emplace(engine_, setup.ahead, losses_of_, setup.mode);
  }

  // Runs a few minibatches, so that memory is allocated, and counts their calls, steps, launches and bytes.
  void warm_up(Result& r) {
    const auto start = Clock::now();
    Window ignored;
    double n = 0, bound = 0;
    do {
      bound += run(ignored, true);
      ++n;
    } while (n < counted_minibatches && since(start) < counting_s && !interrupt_asked());
    finish(ignored);
    const Counters c = engine_.counters();
    if (pipeline_) run_ahead(ignored, 0);
    r.calls = static_cast<double>(c.calls) / n;
    r.steps = static_cast<double>(c.steps) / n;
    r.lower_bound_steps = bound / n;
    r.launches = static_cast<double>(c.launches) / n;
    r.copied_bytes = static_cast<double>(c.copied_bytes) / n;
    engine_.reset_counters();
  }

  Window window() { return window(setup_.seconds); }

  // The last window, with timed launches. Resets the counters, which then describe this window alone.
  Window timed_window() {
    engine_.reset_counters();
    engine_.set_timed(true);
    return window(std::min(setup_.seconds, timed_s));
  }
  std::string profile() const { return engine_.profile(); }

  Counters counters() const { return engine_.counters(); }

 private:
  // On a GPU minibatches overlap: the window ends when all of its work is done.
  Window window(double seconds) {
    Window w;
    const auto start = Clock::now();
    if (pipeline_) {
      run_ahead(w, seconds);
    } else {
      do run(w, false);
      while (since(start) < seconds && !interrupt_asked());
    }
    finish(w);
    w.seconds = since(start);
    return w;
  }

  struct Work {
    double tokens, product_flops;
  };

  // Forward; in training, also the gradients of vectors and of weights.
  double passes() const { return setup_.mode == Mode::train ? 3 : 1; }

  void keep_all() {
    losses_of_ = Recorded(std::move(losses_of_));
    for (const Minibatch& m : task_.epoch(setup_.batch, setup_.engine.seed, 0)) (void)record(m);
    engine_.reset_counters();
  }
  Batch<std::vector<Expr>> record(const Minibatch& minibatch) {
    if (!setup_.keep_recordings) return task_.record(engine_, minibatch, setup_.mode);
    sizes_.clear();
    for (const uint64_t id : minibatch.ids) sizes_.push_back(static_cast<uint32_t>(work_[id].tokens));
    return engine_.record(minibatch, std::ref(losses_of_), {.mode = setup_.mode, .sizes = sizes_});
  }

  // Runs one minibatch. Returns the lower bound on its steps if `with_bound`.
  double run(Window& w, bool with_bound) {
    const Minibatch& minibatch = next();
    auto batch = record(minibatch);
    const double bound = with_bound ? lower_bound_steps(batch) : 0;
    if (setup_.mode == Mode::train) {
      losses_.clear();
      for (const std::vector<Expr>& of_example : batch.results)
        losses_.insert(losses_.end(), of_example.begin(), of_example.end());
      update(engine_.backward(losses_), w);
    } else {
      inferred_.push_back(engine_.start(std::move(batch)));
    }
    count(minibatch, w);
    return bound;
  }

  // Runs minibatches through the pipeline. It is empty at the start and at the end, so all of its work counts.
  void run_ahead(Window& w, double seconds) {
    const auto start = Clock::now();
    std::deque<Minibatch> asked;
    const auto ask = [&] {
      asked.push_back(next());
      pipeline_->push(asked.back());
    };
    for (int i = 0; i <= setup_.ahead; ++i) ask();
    while (!asked.empty()) {
      if (setup_.mode == Mode::train)
        update(pipeline_->backward(), w);
      else
        inferred_.push_back(pipeline_->start());
      count(asked.front(), w);
      asked.pop_front();
      if (since(start) < seconds && !interrupt_asked()) ask();
    }
  }

  void update(const Gradients& gradients, Window& w) {
    loss_.push_back(gradients.loss());
    const auto start = Clock::now();
    task_.update(gradients);
    w.update_s += since(start);
  }

  void count(const Minibatch& minibatch, Window& w) {
    if (loss_.size() + inferred_.size() > minibatches_ahead) take_loss(w);
    w.examples += static_cast<double>(minibatch.ids.size());
    for (const uint64_t id : minibatch.ids) {
      w.tokens += work_[id].tokens;
      w.product_flops += work_[id].product_flops;
    }
  }

  // Waits for the loss of the oldest pending minibatch.
  void take_loss(Window& w) {
    if (!loss_.empty()) {
      w.loss += static_cast<double>(loss_.front().get());
      loss_.pop_front();
    } else {
      for (const std::vector<Tensor>& of_example : inferred_.front().get())
        for (const Tensor& loss : of_example) w.loss += static_cast<double>(loss[0]);
      inferred_.pop_front();
    }
  }
  void finish(Window& w) {
    while (!loss_.empty() || !inferred_.empty()) take_loss(w);
    engine_.wait();
  }

  const Minibatch& next() {
    if (at_ == minibatches_.size()) {
      minibatches_ = task_.epoch(setup_.batch, setup_.engine.seed, epoch_++);
      at_ = 0;
    }
    return minibatches_[at_++];
  }

  static double lower_bound_steps(const Batch<std::vector<Expr>>& batch) {
    double steps = 0;
    for (const Graph& g : batch.shards) {
      std::vector<uint32_t> calls(g.calls());
      std::iota(calls.begin(), calls.end(), 0u);
      steps += lower_bound(g.tape(), calls);
    }
    return steps;
  }

  Task& task_;
  Setup setup_;
  Engine engine_;
  std::vector<Work> work_;
  std::vector<Minibatch> minibatches_;
  size_t at_ = 0;
  uint64_t epoch_ = 0;
  Task::Losses losses_of_;  // with --ahead and --keep-recordings
  std::vector<uint32_t> sizes_;
  std::vector<Expr> losses_;
  std::deque<Scalar> loss_;
  std::deque<Inference<std::vector<Expr>>> inferred_;
  std::optional<Pipeline<Task::Losses>> pipeline_;
};

// The counters of schedule, plan and execution are sums over threads; the others are measured on the waiting thread.
void share_out(const Counters& c, const Window& all, double threads, Result& r) {
  enum { other = 7 };
  r.share = {c.record_s, c.schedule_s / threads, c.plan_s / threads, c.gather_s / threads,
             // Weight gradients are products, except for the sums of biases and of table rows.
             (c.product_s + c.accumulate_s) / threads, c.elementwise_s / threads, all.update_s};
  for (double& s : r.share) s /= all.seconds;
  r.share[other] = 1 - std::accumulate(r.share.begin(), r.share.end(), 0.0);

  // Per call that the user made, including shared ones.
  const auto calls = static_cast<double>(c.calls + c.shared_calls),
             host_s = c.record_s * threads + c.schedule_s + c.plan_s;
  r.record_ns = c.record_s * threads / calls * 1e9;
  r.schedule_ns = c.schedule_s / calls * 1e9;
  r.plan_ns = c.plan_s / calls * 1e9;
  r.host_us_per_example = host_s / all.examples * 1e6;
}

// Replaces the execution shares of the host by those of the device.
void share_out_device(const Counters& c, const Window& timed, Result& r) {
  const std::array<double, 6> device{
      c.gather_s, c.product_s + c.accumulate_s, c.elementwise_s, c.update_s, c.other_s, c.persistent_s};
  const double busy = std::accumulate(device.begin(), device.end(), 0.0);
  for (size_t i = 0; i < device.size(); ++i) r.share[3 + i] = busy > 0 ? device[i] / busy : 0;
  r.device_us_per_example = busy / timed.examples * 1e6;
}

}  // namespace

Result measure(Task& task, const Setup& setup) {
  if (task.examples() == 0) throw DataError("bench: the file holds no examples");
  Result r;
  forget_peak(setup);
  Loop loop(task, setup);
  const std::unique_ptr<ProductLimit> limit = ProductLimit::of(setup.engine);
  loop.warm_up(r);

  Window all;
  std::vector<double> examples, tokens, flops;
  limit->sample();
  for (int i = 0; i < setup.windows && !(i > 0 && interrupt_asked()); ++i) {
    const Window w = loop.window();
    limit->sample();
    examples.push_back(w.examples / w.seconds);
    tokens.push_back(w.tokens / w.seconds);
    flops.push_back(w.product_flops / w.seconds);
    all.examples += w.examples;
    all.product_flops += w.product_flops;
    all.seconds += w.seconds;
    all.update_s += w.update_s;
    r.loss = w.loss / w.examples;
  }

  r.examples_per_s = median(examples);
  r.tokens_per_s = median(tokens);
  for (double& e : examples) e = std::abs(e - r.examples_per_s);
  r.examples_per_s_mad = median(examples);
  const Counters counters = loop.counters();
  share_out(counters, all, setup.ahead > 0 ? setup.ahead : setup.engine.threads, r);
  if (all.product_flops == 0) {  // the task has no formula for its products
    all.product_flops = counters.product_flops;
    for (double& f : flops) f = all.product_flops / all.seconds;
  }
  r.product_flops_per_example = all.product_flops / all.examples;
  r.product_limit_flops_per_s = limit->flops_per_s();
  r.roofline = median(flops) / limit->flops_per_s();
  r.peak_bytes = peak_bytes(setup, counters);
  if (setup.on_gpu() || setup.profile) {
    const Window timed = loop.timed_window();
    if (setup.on_gpu()) share_out_device(loop.counters(), timed, r);
    if (setup.profile) r.profile = loop.profile();
  }
  return r;
}

}  // namespace espalier::app::bench
