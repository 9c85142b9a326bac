// Engine: each call enters the engine, groups its arguments by session, and runs the sessions in threads.
// session/session.cc contains the stages of one round.
#include <espalier/engine/engine.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>

#include "engine/profile.h"
#include "engine/shard_recorder.h"
#include "engine/state/engine_state.h"
#include "exec/profiler_range.h"
#include "expr/record.h"

namespace espalier {
namespace detail {

std::vector<Tensor> PendingTensors::get() && {
  for (const Part& part : parts) std::ranges::copy(part.rows->get(), part.to);
  return std::move(tensors);
}

Tensor PendingTensors::stack() && {
  const std::vector<Tensor> all = std::move(*this).get();
  if (all.empty()) return {};
  const Shape& row = all[0].shape();
  std::array<int, Shape::max_rank + 1> sizes{static_cast<int>(all.size())};
  std::copy(row.begin(), row.end(), sizes.begin() + 1);
  const Shape shape = Shape::of(sizes.data(), row.rank + 1);
  const size_t size = all[0].size();
  bool in_order = true;
  for (size_t i = 0; i < all.size(); ++i) in_order = in_order && all[i].data() == block.get() + i * size;
  if (in_order) return {shape, block, block.get()};
  std::vector<float> copy;  // the values of the sessions are interleaved
  copy.reserve(all.size() * size);
  for (const Tensor& t : all) copy.insert(copy.end(), t.begin(), t.end());
  return {shape, std::move(copy)};
}

void emitted_by(const Graph& graph, std::string_view metric, std::vector<Expr>* values, std::vector<int>* labels) {
  GraphTape& tape = graph.tape();
  const auto it = std::find(tape.metrics.begin(), tape.metrics.end(), metric);
  const auto number = static_cast<uint32_t>(it - tape.metrics.begin());
  for (const GraphTape::Emitted& e : tape.emitted) {
    if (e.metric != number) continue;
    if (values != nullptr) values->push_back({tape.entry(), e.value, e.stamp});
    if (labels != nullptr) labels->push_back(e.label);
  }
}

}  // namespace detail

std::shared_ptr<detail::EngineState> detail::state_of(Engine& engine) {
  if (!engine.state_) moved_from(engine_name);
  return engine.state_;
}

using detail::EngineCall, detail::EngineState, detail::Session, detail::SessionValues;

Engine::Engine(EngineOptions options) {
  if (options.threads < 1)
    throw Error("engine: threads = " + std::to_string(options.threads) + "; at least one is needed");
  state_ = std::make_shared<detail::EngineState>(options);
}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Graph Engine::graph(Mode mode) {
  const EngineCall call = state_->enter("graph");
  const std::shared_ptr<Session> s = state_->lend();
  s->start(mode == Mode::train, state_->options.seed, 0);
  return Graph(std::shared_ptr<GraphTape>(s, &s->tape));
}

uint64_t Engine::seed() const { return state_->options.seed; }
void Engine::set_seed(uint64_t seed) {
  const EngineCall call = state_->enter("set_seed");
  state_->options.seed = seed;
}

std::vector<Graph> Engine::record_all(size_t examples, const RecordOptions& options, const detail::RecordOne& one,
                                      std::vector<Failure>& failed, int& rounds) {
  const EngineCall call = state_->enter("record");
  const auto start = std::chrono::steady_clock::now();
  state_->failed_example.reset();
  if (!options.ids.empty() && options.ids.size() != examples)
    throw Error("record: " + std::to_string(options.ids.size()) + " ids are given for " + std::to_string(examples) +
                " examples; one each is needed");
  std::vector<size_t> first = state_->cut(examples, options.sizes);
  const size_t shards = first.size() - 1;
  std::vector<Graph> graphs;
  for (size_t s = 0; s < shards; ++s) {
    graphs.push_back(graph(options.mode));
    graphs.back().tape().epoch = options.epoch;
    state_->session_of(graphs.back(), "record").concurrent_executors =
        static_cast<unsigned>(shards);  // for rounds that run while examples are recorded
  }
  std::deque<detail::ShardRecorder> recorders;
  for (const Graph& g : graphs) recorders.emplace_back(state_->session_of(g, "record"), options, "record");
  auto record_shard = [&](size_t s) {
    const ProfilerRange shown("record");
    std::optional<detail::RecordingThread> others;  // also with one shard: errors must not depend on the count
    if (state_->options.threads > 1 && !options.serial) others.emplace(*state_->access, "record");
    recorders[s].record(graphs[s], first[s], first[s + 1], one);
  };
  if (shards == 1 || options.serial)
    for (size_t s = 0; s < shards; ++s) record_shard(s);
  else
    state_->workers->run(shards, record_shard);
  state_->spare_begins = std::move(first);
  double in_rounds = 0;
  for (const detail::ShardRecorder& r : recorders) {
    in_rounds = std::max(in_rounds, r.round_seconds());
    rounds = std::max(rounds, r.rounds());
  }
  state_->record_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() - in_rounds;
  for (const detail::ShardRecorder& r : recorders) {
    if (!options.skip_bad && !r.failed().empty()) {
      state_->failed_example = r.failed().front().example;
      std::rethrow_exception(r.failed().front().error);
    }
    failed.insert(failed.end(), r.failed().begin(), r.failed().end());
  }
  return graphs;
}

void detail::finish(Engine& engine, Graph& graph, const RecordOne& one, int max_rounds) {
  if (graph.tape().owner != GraphTape::no_owner) throw GraphError("run: the graph is being recorded; await the value");
  const EngineCall call = engine.state_->enter("run");
  Session& session = engine.state_->session_of(graph, "run");
  RecordOptions options;
  options.max_rounds = max_rounds;
  ShardRecorder recorder(session, options, "run");
  recorder.record_one(graph, 0, one);
  recorder.finish();
  if (!recorder.failed().empty()) std::rethrow_exception(recorder.failed().front().error);
}

void Engine::merge_all(std::vector<Graph>& shards, std::span<Expr* const> held) {
  if (shards.size() < 2) return;
  const EngineCall call = state_->enter("merge");
  const auto start = std::chrono::steady_clock::now();
  GraphTape& into = shards[0].tape();
  std::vector<uint32_t> shift(shards.size());
  for (size_t s = 1; s < shards.size(); ++s) {
    shift[s] = state_->appender.append(into, shards[s].tape());
    if (state_->session_of(shards[s], "merge").depends_on_values())
      state_->session_of(shards[0], "merge").set_depends_on_values();
  }
  size_t s = 0;
  for (Expr* x : held) {
    // Most values belong to the shard of the previous value.
    if (x->entry() != shards[s].tape().entry())
      for (s = 0; s + 1 < shards.size() && x->entry() != shards[s].tape().entry();) ++s;
    if (s > 0 && is_value(shards[s].tape(), *x)) *x = expr_of(into, x->id() + shift[s]);
  }
  shards.erase(shards.begin() + 1, shards.end());  // frees their sessions
  state_->record_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<Tensor> Engine::tensors(std::span<const Expr> xs) {
  const EngineCall call = state_->enter("value");
  const auto grouped = state_->by_session(xs, "value");
  state_->in_threads(grouped, [](SessionValues& of, size_t) { of.session->run(of.values); });
  return state_->read_later(xs, grouped).get();
}
Tensor Engine::tensor(Expr x) { return std::move(tensors({&x, 1})[0]); }
float Engine::value(Expr x) {
  const Tensor t = tensor(x);
  if (t.size() != 1)
    throw ShapeError("value: it is " + str(t.shape()) + "; value() gives one number, tensor() gives all");
  return t[0];
}

Tensor Engine::stack(std::span<const Expr> xs) {
  const EngineCall call = state_->enter("stack");
  const auto grouped = state_->by_session(xs, "stack");
  EngineState::check_stack(xs, grouped, "stack");
  state_->in_threads(grouped, [](SessionValues& of, size_t) { of.session->run(of.values); });
  return state_->read_later(xs, grouped).stack();
}
Tensor Engine::infer_stacked(const Batch<Expr>& batch) {
  const EngineCall call = state_->enter("infer_stacked");
  const auto grouped = state_->by_session(batch.results, "infer_stacked");
  EngineState::check_stack(batch.results, grouped, "infer_stacked");
  state_->in_threads(grouped, [](SessionValues& of, size_t) { of.session->run(of.values, true); });
  return state_->read_later(batch.results, grouped).stack();
}

detail::PendingTensors Engine::infer_all(std::span<const Expr> xs) {
  const EngineCall call = state_->enter("infer");
  const auto grouped = state_->by_session(xs, "infer");
  state_->in_threads(grouped, [](SessionValues& of, size_t) { of.session->run(of.values, true); });
  return state_->read_later(xs, grouped);
}

Gradients Engine::backward(std::span<const Expr> losses, float scale) {
  const EngineCall call = state_->enter("backward");
  const auto grouped = state_->by_session(losses, "backward");
  for (const SessionValues& of : grouped) of.session->check_losses(of.values);
  return state_->gradients_of(grouped, [&](SessionValues& of, size_t, detail::GradientState& to) {
    of.session->backward(of.values, scale, to);
  });
}
Gradients Engine::backward(Expr loss) { return backward({&loss, 1}); }

void Engine::rerun_all(std::span<const Graph> graphs) {
  const EngineCall call = state_->enter("rerun");
  std::vector<SessionValues> sessions;
  for (const Graph& g : graphs) {
    Session& session = state_->session_of(g, "rerun");
    if (session.tape.owner != GraphTape::no_owner)
      throw GraphError("rerun: the graph is being recorded; run it again when record or run has ended");
    session.check_rerun("rerun");
    sessions.push_back({&session, {}});
  }
  state_->in_threads(sessions, [](SessionValues& of, size_t) { of.session->rerun(); });
}

std::optional<size_t> Engine::failed_example() const { return state_->failed_example; }

void Engine::wait() {
  const EngineCall call = state_->enter("wait");
  for (const auto& s : state_->sessions) s->wait();
}

void Engine::watch(Expr x) {
  const EngineCall call = state_->enter("watch");
  state_->session_of(x, "watch").watched.push_back(x);
}

Tensor Gradients::of(Expr x) const {
  for (const detail::WatchedEntry& w : state_->watched)
    if (w.entry == x.entry() && w.value == x.id() && w.stamp == x.stamp()) return w.gradient;
  throw GraphError("gradients: the value was not watched; call engine.watch(x) before backward");
}

DryRun Engine::dry_run(const Graph& graph) const {
  const EngineCall call = state_->enter("dry_run");
  return state_->session_of(graph, "dry_run").dry_run();
}
std::string Engine::explain(const Graph& graph) const {
  const EngineCall call = state_->enter("explain");
  return state_->session_of(graph, "explain").dry_run().text();
}

std::string Engine::profile() const {
  const EngineCall call = state_->enter("profile");
  CellTimes cells;
  for (const auto& s : state_->sessions) {
    s->wait();
    cells.add(s->cells());
  }
  return detail::profile(counters(), state_->options, cells);
}
void Engine::set_timed(bool timed) {
  const EngineCall call = state_->enter("set_timed");
  state_->options.timed = timed;
  for (const auto& s : state_->sessions) s->set_timed(timed);
}

Counters Engine::counters() const {
  const EngineCall call = state_->enter("counters");
  Counters c;
  for (const auto& s : state_->sessions) s->count(c);
  c.record_s = state_->record_s;
  return c;
}
void Engine::reset_counters() {
  const EngineCall call = state_->enter("reset_counters");
  for (const auto& s : state_->sessions) s->reset_counters();
  state_->record_s = 0;
}

}  // namespace espalier
