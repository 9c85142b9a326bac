// The threads of a pipeline: each records, schedules and plans whole minibatches. The thread that calls the engine
// takes them in the order of push() and executes them.
#include <espalier/engine/pipeline.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/shard_recorder.h"
#include "engine/state/engine_state.h"
#include "expr/record.h"

namespace espalier::detail {

struct PreparedShard {
  size_t begin = 0, end = 0;  // its examples
  std::shared_ptr<Session> session;
  std::vector<uint32_t> values;
  PlannedRound round;
  PlannedBackward backward;  // for Mode::train
};

// A minibatch, from push() until it is taken.
struct PreparedMinibatch {
  PipelineRequest request;
  uint64_t seed = 0;
  std::vector<PreparedShard> shards;
  std::vector<Graph> graphs;  // per shard; keep the recorded calls until the minibatch has run
  double record_s = 0;
  std::exception_ptr error;
  std::optional<size_t> failed_example;  // the example that threw `error`
  bool begun = false, done = false;

  size_t values() const {
    size_t n = 0;
    for (const PreparedShard& s : shards) n += s.values.size();
    return n;
  }
};

// The sessions of the pipeline have no executor of their own. Shard i of every minibatch runs on the executor of
// runners[i], a session lent by the engine.
struct PipelineCore::State {
  State(const std::shared_ptr<EngineState>& of, size_t count, Mode mode)
      : weak_engine(of),
        access(of->access),
        options(of->options),
        train(mode == Mode::train),
        thread_count(count),
        idle(static_cast<size_t>(options.threads)) {
    for (size_t i = 0; i < idle.size(); ++i) {
      runners.push_back(of->lend());
      runners.back()->start(train, options.seed, 0);  // its earlier values become stale
    }
    options.poison = false;  // poisoning would access the executor while another session runs on it
    try {
      for (size_t i = 0; i < count; ++i) threads.emplace_back([this] { serve(); });
    } catch (...) {
      end();
      throw;
    }
  }
  ~State() { end(); }

  void end() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    changed.notify_all();
  }

  // ---- the pipeline's threads

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      PreparedMinibatch* next = nullptr;
      changed.wait(lock, [&] { return stop || (next = not_begun()) != nullptr; });
      if (stop) return;
      next->begun = true;
      for (size_t i = 0; i < next->shards.size(); ++i) {
        // A session to which no Graph refers any more.
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

  // The oldest minibatch that has not begun, among the first 2 * thread_count in the queue: this bounds memory. Null if
  // there is none.
  PreparedMinibatch* not_begun() {
    for (size_t i = 0; i < std::min(all.size(), 2 * thread_count); ++i)
      if (!all[i]->begun) return all[i].get();
    return nullptr;
  }

  // record -> schedule -> plan
  void prepare(PreparedMinibatch& m) const {
    const RecordingThread others(*access, "a pipeline");
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < m.shards.size(); ++i) {
      std::shared_ptr<Session>& session = m.shards[i].session;
      if (session == nullptr) session = std::make_shared<Session>(options, runners[i]->executor());
      m.graphs.push_back(record(m, m.shards[i]));  // throws the error of the first failed example, by position
    }
    for (PreparedShard& shard : m.shards) find_values(m, shard);
    m.record_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const size_t values = m.values();
    const float scale = m.request.mean && values > 0 ? m.request.scale / static_cast<float>(values) : m.request.scale;
    for (PreparedShard& shard : m.shards) {
      if (shard.values.empty()) continue;
      shard.round = shard.session->plan(shard.values, !train, train);
      if (train) shard.backward = shard.session->plan_backward(shard.values, scale);
    }
  }

  Graph record(PreparedMinibatch& m, const PreparedShard& shard) const {
    Session& session = *shard.session;
    session.start(train, m.seed, m.request.minibatch.epoch);
    Graph graph(std::shared_ptr<GraphTape>(shard.session, &session.tape));
    RecordOptions of_examples;
    of_examples.ids = m.request.minibatch.ids;
    ShardRecorder recorder(session, of_examples, "record");
    recorder.record(graph, shard.begin, shard.end, m.request.one);
    if (!recorder.failed().empty()) {
      m.failed_example = recorder.failed().front().example;
      std::rethrow_exception(recorder.failed().front().error);
    }
    return graph;
  }

  void find_values(const PreparedMinibatch& m, PreparedShard& shard) const {
    const Session& session = *shard.session;
    std::vector<Expr> values;
    for (size_t i = shard.begin; i < shard.end; ++i) m.request.values_of(i, values);
    for (Expr x : values) shard.values.push_back(recorded_value(session.tape, x, train ? "backward" : "infer", {}));
    if (train) session.check_losses(shard.values);
  }

  // ---- the engine's thread

  // The engine, kept alive only during a call: a pipeline does not own its engine.
  std::shared_ptr<EngineState> engine() const {
    std::shared_ptr<EngineState> found = weak_engine.lock();
    if (!found) throw GraphError("pipeline: its engine is gone; the engine must be there as long as it is used");
    return found;
  }

  // Waits until the oldest minibatch is prepared.
  std::unique_ptr<PreparedMinibatch> take() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return all.front()->done; });
    std::unique_ptr<PreparedMinibatch> m = std::move(all.front());
    all.pop_front();
    changed.notify_all();  // another one may begin
    return m;
  }

  // Frees the sessions of a minibatch, whether it ran or not.
  void give_back(EngineState& engine, PreparedMinibatch& m) {
    engine.record_s += m.record_s / static_cast<double>(thread_count);
    for (PreparedShard& shard : m.shards)
      if (shard.session != nullptr) shard.session->discard(std::move(shard.round));
    m.graphs.clear();
    const std::lock_guard lock(mutex);
    for (size_t i = 0; i < m.shards.size(); ++i) {
      if (m.shards[i].session == nullptr) continue;
      runners[i]->take_counters(*m.shards[i].session);
      idle[i].push_back(std::move(m.shards[i].session));
    }
  }

  std::weak_ptr<EngineState> weak_engine;
  std::shared_ptr<EngineAccess> access;
  EngineOptions options;
  const bool train;
  const size_t thread_count;
  std::vector<std::shared_ptr<Session>> runners;
  mutable std::mutex mutex;
  std::condition_variable changed;
  bool stop = false;
  std::deque<std::unique_ptr<PreparedMinibatch>> all;       // oldest first
  std::vector<std::vector<std::shared_ptr<Session>>> idle;  // per runner
  size_t taken = 0;                                         // number of values of the minibatch taken last
  std::vector<std::jthread> threads;                        // last: they end before the members they use
};

PipelineCore::PipelineCore(Engine& engine, int threads, Mode mode) {
  if (threads < 1) throw Error("pipeline: threads = " + std::to_string(threads) + "; at least one is needed");
  const std::shared_ptr<EngineState> of = state_of(engine);
  const EngineCall call = of->enter("pipeline");
  if (of->options.immediate) throw Error("pipeline: the engine runs every call when it is recorded (immediate)");
  state_ = std::make_unique<State>(of, static_cast<size_t>(threads), mode);
}
PipelineCore::PipelineCore(PipelineCore&&) noexcept = default;
PipelineCore& PipelineCore::operator=(PipelineCore&&) noexcept = default;
PipelineCore::~PipelineCore() = default;

void PipelineCore::push(PipelineRequest request, std::span<const uint32_t> sizes) {
  const std::shared_ptr<EngineState> engine = state_->engine();
  const EngineCall call = engine->enter("push");
  const size_t examples = request.minibatch.ids.size();
  auto m = std::make_unique<PreparedMinibatch>();
  std::vector<size_t> first = engine->cut(examples, sizes);
  m->shards.resize(first.size() - 1);
  for (size_t i = 0; i < m->shards.size(); ++i) {
    m->shards[i].begin = first[i];
    m->shards[i].end = first[i + 1];
  }
  engine->spare_begins = std::move(first);
  m->request = std::move(request);
  m->seed = engine->options.seed;
  {
    const std::lock_guard lock(state_->mutex);
    state_->all.push_back(std::move(m));
  }
  state_->changed.notify_all();
}

void PipelineCore::check(Mode mode) const {
  (void)state_->engine();
  if (mode == Mode::train && !state_->train)
    throw Error("pipeline: it was made for inference; backward() needs mode train");
  if (mode == Mode::infer && state_->train) throw Error("pipeline: it was made for training; start() needs mode infer");
  if (size() == 0) throw Error("pipeline: no minibatch is left; push() asks for one");
}

size_t PipelineCore::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->all.size();
}

size_t PipelineCore::taken() const { return state_->taken; }

// Takes the oldest minibatch and returns f(engine, shards, values), where `shards` are its shards that have values.
template <class F>
auto PipelineCore::with_oldest(std::string_view who, F&& f) {
  State& state = *state_;
  const std::shared_ptr<EngineState> engine = state.engine();
  const EngineCall call = engine->enter(who);
  const std::unique_ptr<PreparedMinibatch> m = state.take();
  struct GiveBack {
    State& state;
    EngineState& engine;
    PreparedMinibatch& minibatch;
    ~GiveBack() { state.give_back(engine, minibatch); }
  } const give_back{state, *engine, *m};
  state.taken = m->values();
  engine->failed_example = m->failed_example;
  if (m->error) std::rethrow_exception(m->error);
  std::vector<PreparedShard*> shards;
  std::vector<SessionValues> values;
  for (PreparedShard& shard : m->shards) {
    if (shard.values.empty()) continue;
    shards.push_back(&shard);
    values.push_back({shard.session.get(), shard.values});
  }
  return f(*engine, shards, std::span(values));
}

// ---- execute

Gradients PipelineCore::backward() {
  return with_oldest("backward", [](EngineState& engine, const auto& shards, std::span<SessionValues> values) {
    return engine.gradients_of(values, [&](SessionValues& of, size_t i, GradientState& to) {
      of.session->run(std::move(shards[i]->round));
      of.session->run(std::move(shards[i]->backward), to);
    });
  });
}

PendingTensors PipelineCore::start() {
  return with_oldest("start", [](EngineState& engine, const auto& shards, std::span<SessionValues> values) {
    engine.in_threads(values, [&](SessionValues& of, size_t i) { of.session->run(std::move(shards[i]->round)); });
    return EngineState::read_later(values);
  });
}

}  // namespace espalier::detail
