// The implementation of Optimizer: the parameters it updates, the state it keeps for each, and one step over all of
// them. A rule (rule/rules.h) updates one contiguous range of elements.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <espalier/optim/optimizer.h>
#include "optim/device_step.h"
#include "param/gradient_state.h"

namespace espalier::detail {

// A contiguous range of a parameter's elements on the host: part of a dense parameter, or a row of a table.
struct Update {
  float* value = nullptr;
  const float* gradient = nullptr;
  std::array<float*, max_moments> moment{};
  size_t n = 0;
  float scale = 1;  // factor of the gradient
  Rates rates;
};

struct OptimizerSettings {
  float lr = 0, weight_decay = 0, clip_norm = 0;
};

class OptimizerState {
 public:
  // Throws Error, beginning with `who`, if a setting is negative or not finite.
  OptimizerState(std::string_view who, Parameters& params, OptimizerSettings settings);
  virtual ~OptimizerState() = default;
  OptimizerState(const OptimizerState&) = delete;
  OptimizerState& operator=(const OptimizerState&) = delete;

  // The rule's name in checkpoints, and the names of the tensors it keeps per parameter (at most max_moments).
  virtual std::string_view rule() const = 0;
  virtual std::span<const std::string_view> moments() const = 0;

  // Runs on the device that holds any of the gradients, else on the host. Allocates the moments of new parameters
  // before anything changes.
  void step(const GradientState& gradients);
  uint64_t steps() const { return steps_; }
  float lr() const { return settings_.lr; }
  void set_lr(float lr);
  void set_schedule(optim::Schedule schedule) { schedule_ = std::move(schedule); }
  void group(std::string_view glob, float lr_factor, std::optional<float> weight_decay);

  // ---- for checkpoints: the moments as tensors by name, "adam.m/words.weight" ----
  std::string moment_name(size_t which, const ParameterStorage& storage) const;
  // Visits every existing moment; `name` is valid during the call.
  using Visitor = std::function<void(const std::string& name, const Shape& shape, const float* data, size_t n)>;
  void visit(const Visitor& visitor);
  // Every living parameter of the optimiser, in order of creation.
  std::vector<std::shared_ptr<ParameterStorage>> parameters();
  struct Restored {
    std::shared_ptr<ParameterStorage> parameter;
    std::vector<std::vector<float>> moments;  // all of moments(), each of the parameter's size
  };
  // Replaces steps, lr and all moments. Parameters not in the list have no moments, as before their first step. If it
  // throws, nothing has changed.
  void restore(uint64_t steps, float lr, std::vector<Restored> restored);

 protected:
  virtual float initial_moment() const { return 0; }     // the value of moments before the first step
  virtual void begin([[maybe_unused]] uint64_t step) {}  // called before each step; `step` counts from 1
  // The rates of a parameter with this learning rate and decay.
  virtual Rates rates(float lr, float decay) const { return {.rate = lr, .l2 = decay}; }
  virtual AnyRule any_rule() const = 0;  // for this step, on host and device

 private:
  struct Kept {  // the state of one parameter
    std::weak_ptr<ParameterStorage> parameter;
    float lr_factor = 1, decay = 0;
    std::vector<MirroredFloats> moments;  // empty until its first step
  };
  struct Group {
    std::string glob;
    float lr_factor;
    std::optional<float> decay;
  };
  struct Work {
    const GradientEntry* gradient;
    Kept* kept;
  };
  struct Stretch {
    size_t work, first, last;  // index in work_; its elements (dense) or rows (sparse) first to last - 1
  };

  Kept* find(const std::shared_ptr<ParameterStorage>& storage);  // null: not a parameter of this optimiser
  Kept& keep(const std::shared_ptr<ParameterStorage>& storage);
  void settle(Kept& kept, const std::string& name) const;  // sets its lr_factor and decay from the groups
  std::vector<MirroredFloats> initial_moments(const ParameterStorage& storage, DeviceMemory* where) const;
  Rates rates(const Kept& kept) const { return rates(settings_.lr * kept.lr_factor, kept.decay); }
  void prepare_on_host();  // everything that may throw
  void step_on_host(Workers* workers);
  float scale() const;  // the clip factor of all gradients
  void cut();
  void update(const Work& work, size_t first, size_t last, float scale) const;
  void prepare_on(DeviceMemory& memory);  // everything that may throw
  void step_on(DeviceMemory& memory);

  OptimizerSettings settings_;
  optim::Schedule schedule_;  // empty: lr is constant
  uint64_t steps_ = 0;
  std::weak_ptr<ParametersState> root_;
  // By address; the weak pointer keeps the address from being reused.
  std::unordered_map<const ParameterStorage*, Kept> kept_;
  std::vector<Group> groups_;
  std::vector<Work> work_;  // of the current step; a member to reuse its memory
  std::vector<Stretch> stretches_;
  DeviceStep device_step_;
  DeviceArray<double> squares_;
  std::vector<std::span<const float>> gradients_;
};

}  // namespace espalier::detail
