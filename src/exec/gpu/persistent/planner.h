// Plans persistent kernels. A step with few rows takes less time than its launches, so one kernel runs many consecutive
// steps: all of its blocks are resident, and they wait for each other between the phases of the steps. The planner
// decides which steps such a kernel runs, and writes its phases. It needs no device.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "exec/gpu/persistent/step.h"

namespace espalier::persistent {

// The part of a device that a kernel may use.
struct Capacity {
  unsigned blocks = 1;       // resident blocks of `threads` threads
  size_t shared_bytes = 0;   // dynamic shared memory per block
  bool tensor_cores = true;  // false: products in f32
};

struct PlannedKernel {
  uint32_t first_step = 0, steps = 0;
  unsigned first_phase = 0, phases = 0, barriers = 0;
  unsigned shared_bytes = 0;
  double product_flops = 0;
  Products products;
  std::vector<Function> functions;  // Phase::function is an index into these
};

// Steps are offered in the order of the plan: first the kernels and gathers of a step, then end_step() to accept the
// step, or drop_step() to reject it. A rejected step ends the persistent kernel of the steps before it.
class Planner {
 public:
  void begin(float* base, std::span<const uint32_t> sources, const Capacity& capacity);
  void gather(const Gather& gather, bool stays) { step_.gather(gather, stays); }
  bool product(OfferedProduct product, double flops);  // false: too large; separate launches are faster
  bool fused(const FusedKernel& fused, unsigned rows, std::span<const Operand> operands, SaturatingMask shadowed);
  void end_step(uint32_t step);
  void drop_step();
  void end() { drop_step(); }  // of the plan

  std::span<const PlannedKernel> kernels() const { return planned_; }
  const Script& script() const { return script_; }
  std::span<Phase> phases_of(const PlannedKernel& kernel) {
    return std::span(script_.phases).subspan(kernel.first_phase, kernel.phases);
  }

 private:
  void close();
  void keep_weights();

  Capacity capacity_;
  float* base_ = nullptr;
  std::span<const uint32_t> sources_;
  std::vector<PlannedKernel> planned_;
  Script script_;
  StepWriter step_;
  PlannedKernel open_;
  Script::Sizes opened_;  // sizes of script_ before the first step of open_
  double flops_ = 0;      // of the step that is being offered
};

}  // namespace espalier::persistent
