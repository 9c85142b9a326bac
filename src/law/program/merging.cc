#include "law/program/merging.h"

#include <algorithm>
#include <stdexcept>

#include "base/random.h"
#include "graph/tape.h"
#include "law/program/trained.h"

namespace espalier::law {
namespace {

// The content of a tape as text, independent of the numbering of cells.
std::string meaning(const GraphTape& t) {
  std::string s = print(t);
  const auto add = [&](const auto&... parts) { ((s += ' ', s += std::to_string(parts)), ...), s += '\n'; };
  for (uint32_t c = 0; c < t.calls(); ++c) s += key_of(t.program(c));
  for (const GraphTape::Call& c : t.call) add(c.first_arg, c.first_int, c.first_value);
  for (uint32_t v = 0; v < t.values(); ++v) {
    add(t.value[v].call, t.value[v].output);
    s += str(t.shape(v));
  }
  for (const uint32_t a : t.args) add(a);
  for (const int32_t i : t.ints) add(i);
  for (const uint32_t i : t.items) add(i);
  for (const GroupRange& g : t.groups) add(g.first, g.count);
  for (const float x : t.data) add(x);
  for (const GraphTape::Emitted& e : t.emitted) {
    s += t.metrics[e.metric];
    add(e.value, e.label, t.current(e.value, e.stamp));
  }
  add(t.shared, t.ordinal, t.draws, t.example_id, t.example_key);
  return s;
}

class Merging {
 public:
  Merging(const RandomProgram& program, const RandomModel& model) : program_(program), model_(model) {}

  Verdict run() {
    same_graph({.device = Device::null()}, 2, false);
    same_graph({.device = Device::null()}, 4, true);
    same_graph({.device = Device::null(), .memoise = false}, 3, true);
    same_bits();
    return std::move(verdict_);
  }

 private:
  Batch<Recorded> record(Engine& engine, bool skip, bool reversed) const {
    std::vector<uint64_t> ids(program_.examples.size());
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = i;
    if (reversed) std::reverse(ids.begin(), ids.end());
    return engine.record(Minibatch{ids, 3},
                         [&](Graph& g, uint64_t e) {
                           const Recorded r = model_.record(g, program_.examples[e], e);
                           g.emit(e % 2 == 0 ? "even" : "odd", r.loss, static_cast<int>(e));
                           // Failed examples leave no results; the last example always succeeds.
                           if (skip && e + 1 < program_.examples.size() && mix(program_.numbers, e) % 3 == 0)
                             throw std::runtime_error("skipped");
                           return r;
                         },
                         {.skip_bad = skip});
  }
  // Merges the second minibatch of an engine: its threads have already numbered cells in different orders.
  Batch<Recorded> merged(Engine& engine, bool skip) const {
    (void)engine.merge(record(engine, false, true));
    return engine.merge(record(engine, skip, false));
  }
  void hold(const std::string& broken, const std::string& law) {
    ++verdict_.laws;
    if (!broken.empty() && verdict_.failure.empty()) verdict_.failure = law + ": " + broken;
  }

  void same_graph(EngineOptions options, int threads, bool skip) {
    Engine one(options);
    options.threads = threads;
    Engine several(options);
    const auto want = record(one, skip, false), got = merged(several, skip);
    const std::string law = std::to_string(threads) + " threads merged = one" + (options.memoise ? ", memoised" : "") +
                            (skip ? ", some skipped" : "");
    hold(got.shards.size() == 1 ? "" : "several graphs", law);
    verify(got.shards[0].tape());
    hold(law::difference(got.shards[0].tape(), want.shards[0].tape()), law);
    hold(got.positions == want.positions ? "" : "different examples", law);
    for (size_t i = 0; i < want.results.size(); ++i)
      hold(same_places(got.results[i], want.results[i]) ? "" : "a result is a different value", law);
  }

  void same_bits() {
    Engine one, several({.threads = 3});
    const Trained want = train(one, model_, record(one, false, false));
    const Trained got = train(several, model_, merged(several, false));
    const auto compare = [&](const std::vector<Tensor>& a, const std::vector<Tensor>& b, const std::string& what) {
      for (size_t i = 0; i < b.size(); ++i)
        hold(std::ranges::equal(a[i], b[i]) ? "" : what + " " + std::to_string(i), "merged = one thread, to the bit");
    };
    compare(got.outputs, want.outputs, "output");
    compare(got.gradients, want.gradients, "gradient");
  }
  const RandomProgram& program_;
  const RandomModel& model_;
  Verdict verdict_;
};

}  // namespace

bool same_places(const Recorded& a, const Recorded& b) {
  bool same = a.outputs.size() == b.outputs.size() && a.loss.id() == b.loss.id() && a.leaf.id() == b.leaf.id() &&
              a.word.id() == b.word.id();
  for (size_t k = 0; same && k < a.outputs.size(); ++k) same = a.outputs[k].id() == b.outputs[k].id();
  return same;
}

std::string difference(const GraphTape& got, const GraphTape& want) {
  const std::string a = meaning(got), b = meaning(want);
  if (a == b) return {};
  size_t at = 0, line = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) {
    if (a[at] == '\n') line = at + 1;
    ++at;
  }
  const auto line_of = [&](const std::string& s) { return "'" + s.substr(line, s.find('\n', at) - line) + "'"; };
  return line_of(a) + " for " + line_of(b);
}

Verdict merging(const RandomProgram& program, const RandomModel& model) { return Merging(program, model).run(); }

}  // namespace espalier::law
