#include "law/program/keeping.h"

#include <algorithm>

#include <espalier/engine/recorded.h>
#include "graph/tape.h"
#include "law/program/merging.h"
#include "law/program/trained.h"

namespace espalier::law {
namespace {

class Keeping {
 public:
  Keeping(const RandomProgram& program, const RandomModel& model) : program_(program), model_(model) {}

  Verdict run() {
    same_graph({.device = Device::null()});
    same_graph({.device = Device::null(), .threads = 3});
    same_graph({.device = Device::null(), .threads = 2, .memoise = false});
    same_bits();
    return std::move(verdict_);
  }

 private:
  auto function() const {
    return [this](Graph& g, uint64_t e) {
      const Recorded r = model_.record(g, program_.examples[e], e);
      g.emit(e % 2 == 0 ? "even" : "odd", r.loss, static_cast<int>(e));
      return r;
    };
  }
  Minibatch minibatch(uint64_t epoch) const {
    Minibatch m{{}, epoch};
    for (size_t i = 0; i < program_.examples.size(); ++i) m.ids.push_back(i);
    return m;
  }
  void hold(const std::string& broken, const std::string& law) {
    ++verdict_.laws;
    if (!broken.empty() && verdict_.failure.empty()) verdict_.failure = law + ": " + broken;
  }

  // The first recording of the kept examples is in another order and epoch, on another engine.
  void same_graph(const EngineOptions& options) {
    const espalier::Recorded kept(function());
    Engine first(options), second(options), fresh(options);
    Minibatch reversed = minibatch(1);
    std::reverse(reversed.ids.begin(), reversed.ids.end());
    (void)first.record(reversed, kept);
    const std::string law =
        "replayed = recorded, " + std::to_string(options.threads) + " threads" + (options.memoise ? ", memoised" : "");
    for (const uint64_t epoch : {2, 3}) {
      const auto got = second.record(minibatch(epoch), kept), want = fresh.record(minibatch(epoch), function());
      for (size_t s = 0; s < want.shards.size(); ++s) {
        verify(got.shards[s].tape());
        hold(law::difference(got.shards[s].tape(), want.shards[s].tape()), law);
      }
      for (size_t i = 0; i < want.results.size(); ++i)
        hold(same_places(got.results[i], want.results[i]) ? "" : "a result is a different value", law);
    }
    hold(kept.hits() == 2 * program_.examples.size() ? "" : "an example is not kept", law);
  }

  void same_bits() {
    const espalier::Recorded kept(function());
    Engine engine({.threads = 2}), fresh({.threads = 2});
    (void)engine.record(minibatch(1), kept);
    const Trained got = train(engine, model_, engine.record(minibatch(2), kept)),
                  want = train(fresh, model_, fresh.record(minibatch(2), function()));
    const auto compare = [&](const std::vector<Tensor>& a, const std::vector<Tensor>& b, const std::string& what) {
      for (size_t i = 0; i < b.size(); ++i)
        hold(a[i].to_vector() == b[i].to_vector() ? "" : what + " " + std::to_string(i),
             "replayed = recorded, to the bit");
    };
    compare(got.outputs, want.outputs, "output");
    compare(got.gradients, want.gradients, "gradient");
  }

  const RandomProgram& program_;
  const RandomModel& model_;
  Verdict verdict_;
};

}  // namespace

Verdict keeping(const RandomProgram& program, const RandomModel& model) { return Keeping(program, model).run(); }

}  // namespace espalier::law
