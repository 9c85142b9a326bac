#include <espalier/engine/recorded.h>

#include <chrono>
#include <numeric>

#include "engine/shard_recorder.h"
#include "engine/state/engine_state.h"
#include "expr/record.h"
#include "graph/kept_store.h"

namespace espalier::detail {

// ---- RecordedCore

struct RecordedCore::State {
  KeptStore store;
};

struct RecordedCore::Start::State {
  const GraphTape& tape;
  ExampleStart start;
  std::shared_ptr<KeptCells> cells;
};

namespace {

Expr first_value(const GraphTape& tape) { return expr_of(tape, tape.values()); }

// The recording of what a graph has recorded since `start`.
std::shared_ptr<const KeptRecording> cut(const GraphTape& tape, const ExampleStart& start,
                                         const std::shared_ptr<KeptCells>& cells, std::shared_ptr<const void> result,
                                         size_t bytes) {
  constexpr size_t entry_bytes = 192;  // of the store, including the allocator's overhead
  KeptExample example(tape, start, cells);
  const size_t all = example.bytes() + bytes + entry_bytes;
  return std::make_shared<const KeptRecording>(KeptRecording{std::move(example), std::move(result), all});
}

ReplayedExample append(std::shared_ptr<const KeptRecording> kept, GraphTape& tape) {
  const Expr first = first_value(tape);
  __builtin_prefetch(kept->result.get());  // its reader comes next
  kept->example.append(tape);
  const void* const result = kept->result.get();
  return {{std::move(kept), result}, first};
}

}  // namespace

RecordedCore::RecordedCore(const RecordedOptions& options) : state_(new State{KeptStore(options.memory_limit)}) {}
RecordedCore::~RecordedCore() = default;

ReplayedExample RecordedCore::replay(Graph& graph, uint64_t id) const {
  GraphTape& tape = graph.tape();
  if (tape.on_call) return {};  // immediate mode
  std::shared_ptr<const KeptRecording> kept = state_->store.find(id, tape.train);
  return kept != nullptr ? append(std::move(kept), tape) : ReplayedExample{};
}

RecordedCore::Start::Start(const RecordedCore& core, const Graph& graph)
    : state_(new State{graph.tape(), ExampleStart(graph.tape()), core.state_->store.cells()}) {}
RecordedCore::Start::~Start() = default;

Expr RecordedCore::Start::relative(Expr x) const {
  if (!x) return x;
  const GraphTape& tape = state_->tape;
  state_->start.check(tape);
  const uint32_t v = recorded_value(tape, x, "recorded", {});
  if (v < state_->start.values)
    throw GraphError("recorded: the result holds a value of " + str(tape.program(tape.value[v].call).name) +
                     " that was recorded before the example; a kept example must record every value it returns");
  return {nullptr, v - state_->start.values, 1};
}

void RecordedCore::keep(uint64_t id, const Start& start, std::shared_ptr<const void> result, size_t bytes) const {
  const GraphTape& tape = start.state_->tape;
  if (tape.on_call) return;
  state_->store.keep(id, tape.train, cut(tape, start.state_->start, start.state_->cells, std::move(result), bytes));
}

void RecordedCore::forget() { state_->store.forget(); }
void RecordedCore::forget(uint64_t id) { state_->store.forget(id); }
size_t RecordedCore::size() const { return state_->store.size(); }
size_t RecordedCore::bytes() const { return state_->store.bytes(); }
uint64_t RecordedCore::hits() const { return state_->store.hits(); }
uint64_t RecordedCore::misses() const { return state_->store.misses(); }

// ---- PinnedMinibatch

struct PinnedMinibatch::State {
  Minibatch minibatch;
  std::vector<Failure> failed;
  std::vector<std::shared_ptr<const KeptRecording>> examples;  // null: it failed
};

PinnedMinibatch::PinnedMinibatch(Engine& engine, RecordedCore& core, const Minibatch& minibatch,
                                 const RecordOptions& options, const RecordMissing& record_missing)
    : state_(std::make_unique<State>()) {
  const std::shared_ptr<EngineState> of = state_of(engine);
  const EngineCall call = of->enter("record");
  const auto start = std::chrono::steady_clock::now();
  if (of->options.immediate) throw Error("recorded: the engine runs every call when it is recorded (immediate)");
  of->failed_example.reset();
  KeptStore& store = core.state_->store;
  State& s = *state_;
  const bool train = options.mode == Mode::train;
  std::optional<Graph> scratch;
  std::optional<ShardRecorder> recorder;
  for (size_t i = 0; i < minibatch.ids.size(); ++i) {
    const uint64_t id = minibatch.ids[i];
    std::shared_ptr<const KeptRecording> kept = store.find(id, train);
    if (kept == nullptr) {
      if (!scratch) {
        scratch = engine.graph(options.mode);
        scratch->tape().epoch = minibatch.epoch;
        recorder.emplace(of->session_of(*scratch, "record"), options, "record");
      }
      scratch->example(id);
      const bool recorded = recorder->record_one(*scratch, i, [&](Graph& g, size_t) -> std::unique_ptr<Waiting> {
        const RecordedCore::Start begin(core, g);
        size_t bytes = 0;
        std::shared_ptr<const void> result = record_missing(g, id, begin, bytes);
        kept = cut(g.tape(), begin.state_->start, begin.state_->cells, std::move(result), bytes);
        store.keep(id, train, kept);
        return nullptr;
      });
      if (!recorded && !options.skip_bad) break;
      if (!recorded) kept = nullptr;
    }
    s.examples.push_back(std::move(kept));
  }
  s.minibatch = minibatch;
  of->record_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!recorder) return;
  recorder->finish();
  s.failed = recorder->failed();
  if (options.skip_bad || s.failed.empty()) return;
  of->failed_example = s.failed.front().example;
  std::rethrow_exception(s.failed.front().error);
}
PinnedMinibatch::PinnedMinibatch(PinnedMinibatch&&) noexcept = default;
PinnedMinibatch& PinnedMinibatch::operator=(PinnedMinibatch&&) noexcept = default;
PinnedMinibatch::~PinnedMinibatch() = default;

const std::vector<Failure>& PinnedMinibatch::failed() const { return state_->failed; }
const Minibatch& PinnedMinibatch::minibatch() const { return state_->minibatch; }
ReplayedExample PinnedMinibatch::replay(Graph& graph, size_t i) const {
  const std::shared_ptr<const KeptRecording>& kept = state_->examples[i];
  return kept != nullptr ? append(kept, graph.tape()) : ReplayedExample{};
}

Batch<ReplayedExample> record(Engine& engine, const PinnedMinibatch& pinned, RecordOptions options) {
  const Minibatch& m = pinned.minibatch();
  options.ids = m.ids;
  options.epoch = m.epoch;
  std::vector<size_t> all(m.ids.size());
  std::iota(all.begin(), all.end(), size_t{0});
  Batch<ReplayedExample> batch = engine.record(all, [&](Graph& g, size_t i) { return pinned.replay(g, i); }, options);
  batch.failed = pinned.failed();
  if (batch.failed.empty()) return batch;
  std::erase_if(batch.positions, [&](size_t i) { return batch.results[i].result == nullptr; });
  std::erase_if(batch.results, [](const ReplayedExample& e) { return e.result == nullptr; });
  return batch;
}

}  // namespace espalier::detail
