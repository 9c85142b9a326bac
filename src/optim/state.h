// What stands behind an Optimizer: which parameters it updates, what it keeps for each, and one step over all of them.
// A rule (rules.h) says how one stretch of numbers changes.
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

// One stretch of contiguous numbers of a parameter on the host: a whole dense one, or a row of a table.
struct Update {
  float* value = nullptr;
  const float* gradient = nullptr;
  std::array<float*, max_moments> moment{};
  size_t n = 0;
  float scale = 1;  // of the gradient
  Rates rates;
};

struct OptimizerSettings {
  float lr = 0, weight_decay = 0, clip_norm = 0;
};

class OptimizerState {
 public:
  // Throws Error, which begins with `who`, where a setting is negative or not a number.
  OptimizerState(std::string_view who, Parameters& params, OptimizerSettings settings);
  virtual ~OptimizerState() = default;
  OptimizerState(const OptimizerState&) = delete;
  OptimizerState& operator=(const OptimizerState&) = delete;

  // The rule's name in checkpoints, and those of the tensors it keeps for each parameter (at most max_moments).
  virtual std::string_view rule() const = 0;
  virtual std::span<const std::string_view> moments() const = 0;

  // Where the gradients are: on a device, if one has some of them. Allocates where a parameter is met for the first
  // time, and before anything changes.
  void step(const GradientState& gradients);
  uint64_t steps() const { return steps_; }
  float lr() const { return settings_.lr; }
  void set_lr(float lr);
  void set_schedule(optim::Schedule schedule) { schedule_ = std::move(schedule); }
  void group(std::string_view glob, float lr_factor, std::optional<float> weight_decay);

  // ---- for checkpoints: the moments as tensors by name, "adam.m/words.weight" ----
  std::string moment_name(size_t which, const Slot& slot) const;
  // Every moment that exists; `name` lives as long as the call.
  using Visitor = std::function<void(const std::string& name, const Shape& shape, const float* data, size_t n)>;
  void visit(const Visitor& visitor);
  // Every living parameter of the optimiser, in the order they were made.
  std::vector<std::shared_ptr<Slot>> parameters();
  struct Restored {
    std::shared_ptr<Slot> slot;
    std::vector<std::vector<float>> moments;  // all of moments(), each of the slot's size
  };
  // Replaces steps, lr and all moments; a parameter not named has none, as before its first step. Changes nothing where
  // it throws.
  void restore(uint64_t steps, float lr, std::vector<Restored> restored);

 protected:
  virtual float initial_moment() const { return 0; }     // what moments hold before the first step
  virtual void begin([[maybe_unused]] uint64_t step) {}  // counted from 1
  // Of a parameter with this rate and decay.
  virtual Rates rates(float lr, float decay) const { return {.rate = lr, .l2 = decay}; }
  virtual AnyRule any_rule() const = 0;  // of this step, for the host and for devices

 private:
  struct Kept {  // for one parameter
    std::weak_ptr<Slot> slot;
    float lr_factor = 1, decay = 0;
    std::vector<Numbers> moments;  // empty until its first step
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
    size_t work, first, last;  // elements of a dense gradient, rows of a sparse one
  };

  Kept* find(const std::shared_ptr<Slot>& slot);  // null: a parameter of somebody else
  Kept& keep(const std::shared_ptr<Slot>& slot);
  void settle(Kept& kept, const std::string& name) const;  // its rate and decay, from the groups
  std::vector<Numbers> initial_moments(const Slot& slot, DeviceMemory* where) const;
  Rates rates(const Kept& kept) const { return rates(settings_.lr * kept.lr_factor, kept.decay); }
  void prepare_on_host();  // all that may throw
  void step_on_host(Workers* workers);
  float scale() const;  // of all gradients, by clip_norm
  void cut();
  void update(const Work& work, size_t first, size_t last, float scale) const;
  void prepare_on(DeviceMemory& memory);  // likewise
  void step_on(DeviceMemory& memory);

  OptimizerSettings settings_;
  optim::Schedule schedule_;  // empty: lr stays as it is set
  uint64_t steps_ = 0;
  std::weak_ptr<ParametersState> root_;
  // By address, which the weak pointer keeps from being given to another slot.
  std::unordered_map<const Slot*, Kept> kept_;
  std::vector<Group> groups_;
  std::vector<Work> work_;  // of one step; kept for its memory
  std::vector<Stretch> stretches_;
  DeviceStep device_step_;
  DeviceArray<double> squares_;
  std::vector<std::span<const float>> gradients_;
};

}  // namespace espalier::detail
