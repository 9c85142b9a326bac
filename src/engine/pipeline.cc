#include <espalier/engine/pipeline.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/rounds.h"
#include "engine/state.h"

namespace espalier::detail {

// A minibatch, from when it is asked for until it is taken.
struct Preparation {
  PipelineOrder order;
  uint64_t seed = 0;
  std::shared_ptr<Session> session;
  std::vector<uint32_t> values;
  double record_s = 0;
  std::exception_ptr error;
  bool begun = false, done = false;
};

// Sessions that only plan; all run in their turn where `runner` does.
struct PipelineState {
  PipelineState(EngineState& of, size_t count, Mode mode)
      : engine(of), options(of.options), train(mode == Mode::train), threads_wanted(count), runner(of.lend()) {
    runner->start(train, options.seed, 0);  // nothing that it held can be asked for any more
    options.poison = false;                 // which would reach for the executor
    try {
      for (size_t i = 0; i < count; ++i) threads.emplace_back([this] { serve(); });
    } catch (...) {
      end();
      throw;
    }
  }
  ~PipelineState() { end(); }

  void end() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    changed.notify_all();
  }

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      Preparation* next = nullptr;
      changed.wait(lock, [&] { return stop || (next = not_begun()) != nullptr; });
      if (stop) return;
      next->begun = true;
      // One whose graph nobody kept.
      const auto free = std::ranges::find_if(idle, [](const auto& s) { return s.use_count() == 1; });
      if (free != idle.end()) {
        next->session = std::move(*free);
        idle.erase(free);
      }
      lock.unlock();
      try {
        prepare(*next);
      } catch (...) {
        next->error = std::current_exception();
      }
      lock.lock();
      next->done = true;
      changed.notify_all();
    }
  }

  // The next one, unless as many as can run soon have been begun: what is prepared takes memory.
  Preparation* not_begun() {
    for (size_t i = 0; i < std::min(all.size(), 2 * threads_wanted); ++i)
      if (!all[i]->begun) return all[i].get();
    return nullptr;
  }

  void prepare(Preparation& p) const {
    if (p.session == nullptr) p.session = std::make_shared<Session>(options, runner->executor());
    Session& session = *p.session;
    const auto start = std::chrono::steady_clock::now();
    session.start(train, p.seed, p.order.minibatch.epoch);
    Graph graph(std::shared_ptr<GraphTape>(p.session, &session.tape));
    const RecordOptions record;
    Rounds rounds(session, record, "record");
    const std::vector<uint64_t>& ids = p.order.minibatch.ids;
    for (size_t i = 0; i < ids.size(); ++i) {
      graph.example(ids[i]);
      if (!rounds.record(graph, i, p.order.one)) break;
    }
    rounds.finish();
    if (!rounds.failed().empty()) std::rethrow_exception(rounds.failed().front().error);
    std::vector<Expr> values;
    p.order.wanted(values);
    for (Expr x : values) {
      recorded_value(session.tape, x, "pipeline", {});
      p.values.push_back(x.id());
    }
    p.record_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (train) check_losses(session.tape, p.values);
    session.plan(p.values, !train);
    if (train) session.plan_backward(p.values, p.order.scale);
  }

  // The oldest, prepared.
  std::unique_ptr<Preparation> take() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return all.front()->done; });
    std::unique_ptr<Preparation> p = std::move(all.front());
    all.pop_front();
    changed.notify_all();  // the next can be begun
    return p;
  }
  void give_back(Preparation& p) {
    if (p.session == nullptr) return;
    engine.record_s += p.record_s / static_cast<double>(threads_wanted);
    runner->take_counters(*p.session);
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(p.session));
  }

  EngineState& engine;
  EngineOptions options;
  const bool train;
  const size_t threads_wanted;
  const std::shared_ptr<Session> runner;
  mutable std::mutex mutex;
  std::condition_variable changed;
  bool stop = false;
  std::deque<std::unique_ptr<Preparation>> all;  // oldest first
  std::vector<std::shared_ptr<Session>> idle;
  std::vector<std::jthread> threads;  // last: they end before what they use
};

PipelineCore::PipelineCore(Engine& engine, int threads, Mode mode) {
  if (threads < 1) throw Error("pipeline: threads = " + std::to_string(threads) + "; at least one is needed");
  EngineState& of = state_of(engine);
  if (of.options.immediate) throw Error("pipeline: the engine runs every call when it is recorded (immediate)");
  state_ = std::make_unique<PipelineState>(of, static_cast<size_t>(threads), mode);
}
PipelineCore::PipelineCore(PipelineCore&&) noexcept = default;
PipelineCore& PipelineCore::operator=(PipelineCore&&) noexcept = default;
PipelineCore::~PipelineCore() = default;

void PipelineCore::push(PipelineOrder order) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->all.push_back(std::make_unique<Preparation>());
    state_->all.back()->order = std::move(order);
    state_->all.back()->seed = state_->engine.options.seed;
  }
  state_->changed.notify_all();
}

void PipelineCore::check(Mode mode) const {
  if (mode == Mode::train && !state_->train)
    throw Error("pipeline: it was made for inference; backward() needs Mode::train");
  if (mode == Mode::infer && state_->train)
    throw Error("pipeline: it was made for training; start() needs Mode::infer");
  if (size() == 0) throw Error("pipeline: no minibatch is left; push() asks for one");
}

size_t PipelineCore::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->all.size();
}

namespace {

// Runs f with the oldest; its session serves another, whatever happens.
template <class F>
auto with_oldest(PipelineState& state, F&& f) {
  const std::unique_ptr<Preparation> p = state.take();
  struct GiveBack {
    PipelineState& state;
    Preparation& preparation;
    ~GiveBack() { state.give_back(preparation); }
  } const give_back{state, *p};
  if (p->error) std::rethrow_exception(p->error);
  const SingleThread single;
  p->session->run_planned();
  return f(*p);
}

}  // namespace

Gradients PipelineCore::backward() {
  return with_oldest(*state_, [&](Preparation& p) {
    const std::shared_ptr<GradientState> to = state_->engine.lend_gradients();
    p.session->run_backward(*to);
    return Gradients(to);
  });
}

PendingTensors PipelineCore::start() {
  return with_oldest(*state_, [](Preparation& p) {
    PendingTensors pending;
    pending.rows.push_back(p.session->read_later(p.values));
    for (uint32_t v : p.values) pending.places.push_back({0, p.session->tape.shape(v)});
    return pending;
  });
}

}  // namespace espalier::detail
