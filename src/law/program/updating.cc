#include "law/program/updating.h"

#include <cstring>

#include <espalier/engine/engine.h>
#include "law/devices.h"
#include "law/program/trained.h"

namespace espalier::law {
namespace {

bool equal_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  bool same = a.size() == b.size();
  for (size_t i = 0; same && i < a.size(); ++i)
    same = a[i].size() == b[i].size() &&
           (a[i].empty() || std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(float)) == 0);
  return same;
}

// RAII: changes all parameters and restores them in the destructor.
class OtherParameters {
 public:
  explicit OtherParameters(const RandomModel& model) : parameters_(model.params.all()) {
    for (Parameter& p : parameters_) {
      before_.push_back(p.value());
      std::vector<float> other = before_.back().to_vector();
      for (float& x : other) x *= 0.75f;
      p.assign({p.shape(), std::move(other)});
    }
  }
  ~OtherParameters() {
    for (size_t i = 0; i < parameters_.size(); ++i) parameters_[i].assign(before_[i]);
  }
  OtherParameters(const OtherParameters&) = delete;
  OtherParameters& operator=(const OtherParameters&) = delete;

 private:
  std::vector<Parameter> parameters_;
  std::vector<Tensor> before_;
};

class Updating {
 public:
  Updating(const RandomProgram& program, const RandomModel& model) : program_(program), model_(model) {}

  Verdict run() {
    for (const Device device : compared_devices())
      for (const int threads : {1, 3}) hold({.device = device, .threads = threads, .seed = 5, .poison = true});
    return std::move(verdict_);
  }

 private:
  void hold(const EngineOptions& options) {
    const std::string on = " on " + str(options.device) + ", " + std::to_string(options.threads) + " threads";
    Engine engine(options);
    const Batch<Recorded> batch = record(engine);
    const Trained first = train(engine, model_, batch);
    {
      const OtherParameters changed(model_);
      const Trained kept = train(engine, model_, batch);
      Engine other(options);
      const Batch<Recorded> fresh = record(other);
      const Trained want = train(other, model_, fresh);
      hold(kept.loss == want.loss || (kept.loss != kept.loss && want.loss != want.loss), "updated = fresh, loss" + on);
      hold(equal_bits(kept.gradients, want.gradients), "updated = fresh, gradients" + on);
      hold(equal_bits(kept.outputs, want.outputs), "updated = fresh, values" + on);
    }
    engine.rerun(batch);
    hold(equal_bits(engine.tensors(outputs_of(batch)), first.outputs), "rerun = first, values" + on);
  }
  void hold(bool ok, const std::string& law) {
    ++verdict_.laws;
    if (!ok && verdict_.failure.empty()) verdict_.failure = law;
  }

  Batch<Recorded> record(Engine& engine) const {
    std::vector<uint64_t> ids(program_.examples.size());
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = i;
    return engine.record(Minibatch{ids, 3},
                         [&](Graph& g, uint64_t e) { return model_.record(g, program_.examples[e], e); });
  }
  const RandomProgram& program_;
  const RandomModel& model_;
  Verdict verdict_;
};

}  // namespace

Verdict updating(const RandomProgram& program, const RandomModel& model) { return Updating(program, model).run(); }

}  // namespace espalier::law
