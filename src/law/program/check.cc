#include "law/program/check.h"

#include <algorithm>
#include <cmath>

#include <espalier/engine/engine.h>
#include "base/random.h"
#include "graph/tape.h"
#include "law/devices.h"
#include "law/program/keeping.h"
#include "law/program/merging.h"
#include "law/program/random_model.h"
#include "law/program/structure.h"
#include "law/program/updating.h"
#include "param/gradient_state.h"

namespace espalier::law {
namespace {

struct Broken {
  std::string law;
};

// All results of a random program.
struct CheckOutcome {
  std::vector<std::vector<Tensor>> outputs;  // per example
  std::vector<Tensor> gradients;             // per parameter, then the watched leaf and word of each example
  double loss = 0;
};

std::string differ(const Tensor& got, const Tensor& want, double tolerance) {
  if (got.shape() != want.shape()) return "shape " + str(got.shape()) + " for " + str(want.shape());
  double scale = 1;
  for (float x : want) scale = std::max(scale, std::fabs(static_cast<double>(x)));
  for (size_t i = 0; i < got.size(); ++i) {
    const double a = static_cast<double>(got[i]), b = static_cast<double>(want[i]);
    if (!(std::fabs(a - b) <= tolerance * scale))
      return "element " + std::to_string(i) + " is " + std::to_string(a) + " for " + std::to_string(b);
  }
  return {};
}

class Checker {
 public:
  explicit Checker(const RandomProgram& program) : program_(program), model_(program.numbers) {}

  Verdict run() {
    Verdict v;
    try {
      hold_all(structure(program_, model_, own_slope_));
      const CheckOutcome truth = train({.device = Device::ref(), .policy = Policy::none, .memoise = false});
      for (const auto& example : truth.outputs)
        for (const Tensor& t : example)
          for (float x : t)
            if (!std::isfinite(x)) return v;  // overflow: the laws do not apply
      same(train({.device = Device::ref(), .policy = Policy::none}), truth, tight, "memoised calls = separate calls");
      every_policy(truth);
      rounds(truth);
      order(truth);
      threads(truth);
      limits();
      hold_all(merging(program_, model_));
      hold_all(updating(program_, model_));
      hold_all(keeping(program_, model_));
      revert(truth);
      twice();
      inference();
      differences(truth);
    } catch (const Broken& b) {
      v.failure = b.law;
    } catch (const Error& e) {
      v.failure = std::string("an error: ") + e.what();
    }
    v.laws = laws_;
    v.calls = calls_;
    return v;
  }

 private:
  static constexpr double tight = 1e-6, loose = 1e-3;  // tight: ref, which rounds results once; loose: float devices

  void hold(bool ok, const std::string& law) {
    ++laws_;
    if (!ok) throw Broken{law};
  }
  void hold_all(const Verdict& v) {
    laws_ += v.laws;
    if (!v.failure.empty()) throw Broken{v.failure};
  }
  void same(const CheckOutcome& got, const CheckOutcome& want, double tolerance, const std::string& law) {
    for (size_t e = 0; e < want.outputs.size(); ++e)
      for (size_t k = 0; k < want.outputs[e].size(); ++k) {
        const std::string d = differ(got.outputs[e][k], want.outputs[e][k], tolerance);
        hold(d.empty(), law + ": output " + std::to_string(k) + " of example " + std::to_string(e) + ": " + d);
      }
    const auto all = model_.params.all();
    for (size_t i = 0; i < want.gradients.size(); ++i) {
      const std::string d = differ(got.gradients[i], want.gradients[i], 2 * tolerance);
      hold(d.empty(), law + ": gradient of " +
                          (i < all.size() ? all[i].name() : "watched value " + std::to_string(i - all.size())) + ": " +
                          d);
    }
  }

  auto recorder() const {
    return [this](Graph& g, uint64_t e) { return model_.record(g, program_.examples[e], e); };
  }
  std::vector<uint64_t> ids() const {
    std::vector<uint64_t> r(program_.examples.size());
    for (size_t i = 0; i < r.size(); ++i) r[i] = i;
    return r;
  }

  // Runs one training step. `before` may read values before the backward pass; `order` is the order of the examples.
  template <class Before>
  CheckOutcome train(EngineOptions options, Before&& before, std::vector<uint64_t> order) {
    options.poison = true;
    options.seed = 5;
    Engine engine(options);
    auto batch = engine.record(Minibatch{order, 3}, recorder());
    calls_ += batch.calls();
    before(engine, batch);
    std::vector<Expr> losses;
    for (const Recorded& r : batch.results) {
      losses.push_back(r.loss);
      for (Expr x : {r.leaf, r.word}) engine.watch(x);
    }
    const Gradients g = engine.backward(losses, 0.5f);
    CheckOutcome o;
    o.outputs.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i) o.outputs[order[i]] = engine.tensors(batch.results[i].outputs);
    for (const Parameter& p : model_.params.all()) o.gradients.push_back(g.of(p));
    const size_t parameters = o.gradients.size();
    o.gradients.resize(parameters + 2 * order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      o.gradients[parameters + 2 * order[i]] = g.of(batch.results[i].leaf);
      o.gradients[parameters + 2 * order[i] + 1] = g.of(batch.results[i].word);
    }
    o.loss = g.state().loss.get();
    return o;
  }
  CheckOutcome train(EngineOptions options) {
    return train(options, [](Engine&, auto&) {}, ids());
  }

  // ---- the laws
  void every_policy(const CheckOutcome& truth) {
    for (Device device : all_devices())
      for (Policy policy : {Policy::none, Policy::depth, Policy::agenda, Policy::automatic})
        if (device != Device::ref() || policy != Policy::none)
          same(train({.device = device, .policy = policy}), truth, device == Device::ref() ? tight : loose,
               str(device) + "/" + std::string(name(policy)) + " = ref/none");
  }

  // Reading values early splits the work into rounds; results must not change.
  void rounds(const CheckOutcome& truth) {
    const auto ask = [&](Engine& engine, auto& batch) {
      for (const Recorded& r : batch.results)
        for (size_t k = 0; k < r.outputs.size(); k += 2) (void)engine.tensor(r.outputs[k]);
    };
    same(train({.device = Device::ref()}, ask, ids()), truth, tight, "several rounds = one");
    for (Device device : compared_devices())
      same(train({.device = device}, ask, ids()), truth, loose, "several rounds on " + str(device) + " = one");
  }

  void order(const CheckOutcome& truth) {
    std::vector<uint64_t> reversed = ids();
    std::reverse(reversed.begin(), reversed.end());
    same(train(
             {.device = Device::ref()}, [](Engine&, auto&) {}, reversed),
         truth, tight, "permuted examples = permuted outputs");
  }

  void threads(const CheckOutcome& truth) {
    for (Device device : compared_devices()) {
      const std::string on = " on " + str(device);
      same(train({.device = device, .threads = 3}), truth, loose, "three threads = one" + on);
      same(train({.device = device, .chunk_rows = 2}), truth, loose, "in chunks = at once" + on);
      same(train({.device = device, .hoist_below = 0}), truth, loose, "step by step = with hoisted products" + on);
    }
  }

  // Under a memory limit rows are recomputed, in the same chunks. A limit that is too low is refused.
  void limits() {
    for (Device device : {Device::cpu(), Device::ref()}) {
      const auto dry_run = [&](size_t limit) {
        Engine engine({.device = device, .memory_limit = limit});
        return engine.dry_run(engine.record(Minibatch{ids(), 3}, recorder()));
      };
      const uint64_t rows = dry_run(0).row_bytes;
      for (const uint64_t limit : {rows * 3 / 2, rows * 2, rows * 5 / 2, rows * 3}) {
        if (dry_run(limit).recomputed_calls == 0) break;
        CheckOutcome got;
        try {
          got = train({.device = device, .memory_limit = limit});
        } catch (const DeviceError&) {
          continue;
        }
        const CheckOutcome want = train({.device = device});
        const std::string law = "a memory limit changes no bit on " + str(device) + ": ";
        for (size_t i = 0; i < want.gradients.size(); ++i)
          hold(std::ranges::equal(got.gradients[i], want.gradients[i]), law + "gradient " + std::to_string(i));
        hold(got.loss == want.loss, law + "loss");
        break;
      }
    }
  }

  // Recorded and reverted calls leave no trace, even if their values were read.
  void revert(const CheckOutcome& truth) {
    Engine engine({.device = Device::ref(), .seed = 5, .poison = true});
    Graph g = engine.graph();
    g.tape().epoch = 3;
    CheckOutcome o;
    std::vector<Recorded> recorded;
    for (uint64_t e : ids()) {
      g.example(e);
      const Graph::Mark mark = g.mark();
      const Recorded lost = model_.record(g, program_.examples[program_.examples.size() - 1 - e], e);
      if (e % 2 == 0) (void)engine.value(lost.loss);
      g.revert(mark);
      recorded.push_back(model_.record(g, program_.examples[e], e));
    }
    std::vector<Expr> losses;
    for (const Recorded& r : recorded) {
      losses.push_back(r.loss);
      for (Expr x : {r.leaf, r.word}) engine.watch(x);
    }
    const Gradients gradients = engine.backward(losses, 0.5f);
    for (const Recorded& r : recorded) o.outputs.push_back(engine.tensors(r.outputs));
    for (const Parameter& p : model_.params.all()) o.gradients.push_back(gradients.of(p));
    for (const Recorded& r : recorded)
      for (Expr x : {r.leaf, r.word}) o.gradients.push_back(gradients.of(x));
    same(o, truth, tight, "reverted calls leave no trace");
  }

  void twice() {
    for (Device device : compared_devices()) {
      const CheckOutcome a = train({.device = device}), b = train({.device = device});
      const std::string same_bits = "the same seed gives the same bits on " + str(device) + ": ";
      for (size_t i = 0; i < a.gradients.size(); ++i)
        hold(std::ranges::equal(a.gradients[i], b.gradients[i]), same_bits + "gradient " + std::to_string(i));
      hold(a.loss == b.loss, same_bits + "loss");
    }
  }

  std::vector<std::vector<Tensor>> infer(EngineOptions options) {
    options.poison = true;
    Engine engine(options);
    auto batch = engine.record(
        Minibatch{ids(), 0}, [this](Graph& g, uint64_t e) { return model_.record(g, program_.examples[e], e).outputs; },
        {.mode = Mode::infer});
    return engine.infer(batch);
  }
  void inference() {
    const auto truth = infer({.device = Device::ref(), .policy = Policy::none, .memoise = false});
    for (Device device : compared_devices())
      for (Policy policy : {Policy::depth, Policy::automatic}) {
        const auto got = infer({.device = device, .policy = policy, .chunk_rows = policy == Policy::depth ? 3u : 0u});
        for (size_t e = 0; e < truth.size(); ++e)
          for (size_t k = 0; k < truth[e].size(); ++k) {
            const std::string d = differ(got[e][k], truth[e][k], loose);
            hold(d.empty(), "infer with reused rows, " + str(device) + "/" + std::string(name(policy)) + ": output " +
                                std::to_string(k) + " of example " + std::to_string(e) + ": " + d);
          }
      }
  }

  // The gradients of a few parameter elements equal finite differences in double precision.
  void differences(const CheckOutcome& truth) {
    if (own_slope_) return;  // some gradient is not a derivative by design
    auto all = model_.params.all();
    for (uint64_t k = 0; k < 3; ++k) {
      const size_t i = mix(program_.numbers, 2 * k) % all.size();
      if (all[i].frozen()) continue;
      std::vector<float> values = all[i].value().to_vector();
      const size_t e = mix(program_.numbers, 2 * k + 1) % values.size();
      const float kept = values[e], step = 1e-3f;
      auto loss_at = [&](float x) {
        values[e] = x;
        all[i].assign({all[i].shape(), values});
        return train({.device = Device::ref()}).loss;
      };
      const float up = kept + step, down = kept - step;
      const double slope = (loss_at(up) - loss_at(down)) / (static_cast<double>(up) - static_cast<double>(down));
      loss_at(kept);
      const double got = static_cast<double>(truth.gradients[i][e]);
      hold(std::fabs(got - slope) <= 1e-4 * (1 + std::fabs(slope)),
           "gradient = differences: " + all[i].name() + "[" + std::to_string(e) + "]: " + std::to_string(got) +
               " for " + std::to_string(slope));
    }
  }

  const RandomProgram& program_;
  RandomModel model_;
  uint64_t laws_ = 0, calls_ = 0;
  bool own_slope_ = false;  // the program contains an op whose gradient is not its derivative
};

}  // namespace

Verdict check(const RandomProgram& program) {
  if (program.examples.empty()) return {};
  return Checker(program).run();
}

}  // namespace espalier::law
