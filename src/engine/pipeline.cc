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

// What one of the engine's threads would record of a minibatch, and runs.
struct PreparedShard {
  size_t begin = 0, end = 0;  // of its examples
  std::shared_ptr<Session> session;
  std::vector<uint32_t> values;
};

// A minibatch, from when it is asked for until it is taken.
struct Preparation {
  PipelineOrder order;
  uint64_t seed = 0;
  std::vector<PreparedShard> shards;
  std::vector<Graph> graphs;  // theirs: what was recorded is there until they are gone
  double record_s = 0;
  std::exception_ptr error;
  std::optional<size_t> failed_example;  // that the error is of
  bool begun = false, done = false;

  size_t values() const {
    size_t n = 0;
    for (const PreparedShard& s : shards) n += s.values.size();
    return n;
  }
};

// Sessions that only plan; those of the shards i all run in their turn where runners[i] does.
struct PipelineState {
  PipelineState(const std::shared_ptr<EngineState>& of, size_t count, Mode mode)
      : engine_(of),
        user_(of->shared_user),
        options(of->options),
        train(mode == Mode::train),
        threads_wanted(count),
        idle(static_cast<size_t>(options.threads)) {
    for (size_t i = 0; i < idle.size(); ++i) {
      runners.push_back(of->lend());
      runners.back()->start(train, options.seed, 0);  // nothing that it held can be asked for any more
    }
    options.poison = false;  // which would reach for the executor
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
      for (size_t i = 0; i < next->shards.size(); ++i) {
        // One whose graph nobody kept.
        const auto free = std::ranges::find_if(idle[i], [](const auto& s) { return s.use_count() == 1; });
        if (free == idle[i].end()) continue;
        next->shards[i].session = std::move(*free);
        idle[i].erase(free);
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
    const RecordingThread others(*user_, "a pipeline");
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < p.shards.size(); ++i) {
      std::shared_ptr<Session>& session = p.shards[i].session;
      if (session == nullptr) session = std::make_shared<Session>(options, runners[i]->executor());
      p.graphs.push_back(record(p, p.shards[i]));  // the first example that fails, by position, is thrown
    }
    for (PreparedShard& shard : p.shards) find_values(p, shard);
    p.record_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const size_t values = p.values();
    const float scale = p.order.mean && values > 0 ? p.order.scale / static_cast<float>(values) : p.order.scale;
    for (const PreparedShard& shard : p.shards) {
      if (shard.values.empty()) continue;
      shard.session->plan(shard.values, !train);
      if (train) shard.session->plan_backward(shard.values, scale);
    }
  }

  Graph record(Preparation& p, const PreparedShard& shard) const {
    Session& session = *shard.session;
    session.start(train, p.seed, p.order.minibatch.epoch);
    Graph graph(std::shared_ptr<GraphTape>(shard.session, &session.tape));
    const RecordOptions standard;
    Rounds rounds(session, standard, "record");
    for (size_t i = shard.begin; i < shard.end; ++i) {
      graph.example(p.order.minibatch.ids[i]);
      if (!rounds.record(graph, i, p.order.one)) break;
    }
    rounds.finish();
    if (!rounds.failed().empty()) {
      p.failed_example = rounds.failed().front().example;
      std::rethrow_exception(rounds.failed().front().error);
    }
    return graph;
  }

  void find_values(const Preparation& p, PreparedShard& shard) const {
    const GraphTape& tape = shard.session->tape;
    std::vector<Expr> values;
    for (size_t i = shard.begin; i < shard.end; ++i) p.order.wanted(i, values);
    for (Expr x : values) shard.values.push_back(recorded_value(tape, x, train ? "backward" : "infer", {}));
    if (train) check_losses(tape, shard.values);
  }

  // Held for the time of one use.
  std::shared_ptr<EngineState> engine() const {
    std::shared_ptr<EngineState> found = engine_.lock();
    if (!found) throw GraphError("pipeline: its engine is gone; the engine must be there as long as it is used");
    return found;
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
  void give_back(EngineState& engine, Preparation& p) {
    engine.record_s += p.record_s / static_cast<double>(threads_wanted);
    p.graphs.clear();
    const std::lock_guard lock(mutex);
    for (size_t i = 0; i < p.shards.size(); ++i) {
      if (p.shards[i].session == nullptr) continue;
      runners[i]->take_counters(*p.shards[i].session);
      idle[i].push_back(std::move(p.shards[i].session));
    }
  }

  std::weak_ptr<EngineState> engine_;
  std::shared_ptr<EngineUser> user_;
  EngineOptions options;
  const bool train;
  const size_t threads_wanted;
  std::vector<std::shared_ptr<Session>> runners;
  mutable std::mutex mutex;
  std::condition_variable changed;
  bool stop = false;
  std::deque<std::unique_ptr<Preparation>> all;             // oldest first
  std::vector<std::vector<std::shared_ptr<Session>>> idle;  // of each runner
  size_t taken = 0;                                         // values of the last that was
  std::vector<std::jthread> threads;                        // last: they end before what they use
};

PipelineCore::PipelineCore(Engine& engine, int threads, Mode mode) {
  if (threads < 1) throw Error("pipeline: threads = " + std::to_string(threads) + "; at least one is needed");
  const std::shared_ptr<EngineState> of = state_of(engine);
  const EngineUse use(of->user, "pipeline");
  if (of->options.immediate) throw Error("pipeline: the engine runs every call when it is recorded (immediate)");
  state_ = std::make_unique<PipelineState>(of, static_cast<size_t>(threads), mode);
}
PipelineCore::PipelineCore(PipelineCore&&) noexcept = default;
PipelineCore& PipelineCore::operator=(PipelineCore&&) noexcept = default;
PipelineCore::~PipelineCore() = default;

void PipelineCore::push(PipelineOrder order, std::span<const uint32_t> sizes) {
  const std::shared_ptr<EngineState> engine = state_->engine();
  const EngineUse use(engine->user, "push");
  const size_t examples = order.minibatch.ids.size();
  auto p = std::make_unique<Preparation>();
  std::vector<size_t> first = engine->cut(examples, sizes);
  for (size_t i = 0; i + 1 < first.size(); ++i) p->shards.push_back({first[i], first[i + 1], nullptr, {}});
  engine->begins = std::move(first);
  p->order = std::move(order);
  p->seed = engine->options.seed;
  {
    const std::lock_guard lock(state_->mutex);
    state_->all.push_back(std::move(p));
  }
  state_->changed.notify_all();
}

void PipelineCore::check(Mode mode) const {
  (void)state_->engine();
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

size_t PipelineCore::taken() const { return state_->taken; }

namespace {

// f with the engine and the shards of the oldest that have values; their sessions serve others, whatever happens.
template <class F>
auto with_oldest(PipelineState& state, std::string_view who, F&& f) {
  const std::shared_ptr<EngineState> engine = state.engine();
  const EngineUse use(engine->user, who);
  const std::unique_ptr<Preparation> p = state.take();
  struct GiveBack {
    PipelineState& state;
    EngineState& engine;
    Preparation& preparation;
    ~GiveBack() { state.give_back(engine, preparation); }
  } const give_back{state, *engine, *p};
  state.taken = p->values();
  engine->failed_example = p->failed_example;
  if (p->error) std::rethrow_exception(p->error);
  std::vector<EngineState::Share> shares;
  for (const PreparedShard& s : p->shards)
    if (!s.values.empty()) shares.push_back({s.session.get(), s.values});
  return f(*engine, std::span(shares));
}

}  // namespace

Gradients PipelineCore::backward() {
  return with_oldest(*state_, "backward", [](EngineState& engine, std::span<EngineState::Share> shares) {
    return engine.gradients_of(shares, [](EngineState::Share& share, GradientState& to) {
      share.session->run_planned();
      share.session->run_backward(to);
    });
  });
}

PendingTensors PipelineCore::start() {
  return with_oldest(*state_, "start", [](EngineState& engine, std::span<EngineState::Share> shares) {
    engine.in_threads(shares, [](EngineState::Share& share, size_t) { share.session->run_planned(); });
    PendingTensors pending;
    for (size_t i = 0; i < shares.size(); ++i) {
      pending.rows.push_back(shares[i].session->read_later(shares[i].values));
      for (uint32_t v : shares[i].values) pending.places.push_back({i, shares[i].session->tape.shape(v)});
    }
    return pending;
  });
}

}  // namespace espalier::detail
