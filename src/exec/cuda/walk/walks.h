// A walk: narrow steps that follow each other, in one launch. Where a step has few rows, launches take longer than the
// work; so one kernel whose blocks are all there at once goes from product to element-wise run to the next gather, and
// waits for its other blocks in between.
#pragma once
#include <cstdint>
#include <vector>

#include <espalier/tensor/tensor.h>
#include "exec/cuda/device.h"
#include "exec/cuda/memory/buffers.h"
#include "exec/cuda/walk/step.h"

namespace espalier {

struct Walk {
  uint32_t first_step = 0, steps = 0;
  unsigned first_phase = 0, phases = 0, meetings = 0;
  unsigned shared_bytes = 0;
  double product_flops = 0;
  CUfunction kernel = nullptr;
};

// The walks of one plan: steps are offered in order, and taken or not.
class CudaWalks {
 public:
  CudaWalks(CudaDevice& device, Precision precision, cudaStream_t stream);

  // beside: how many executors share the device; each walks on its part of it.
  void begin(float* base, std::span<const uint32_t> sources, unsigned beside);
  // The parts of a step, as far as they are known; end_step() takes them, drop_step() forgets them.
  void gather(const Gather& gather, bool stays) { step_.gather(gather, stays); }
  bool product(walk::OfferedProduct product, double flops);  // false: it is too large, the step does better by itself
  bool run(const Run& run, unsigned rows, std::span<const walk::Operand> operands, uint64_t shadowed);
  void end_step(uint32_t step);
  void drop_step();
  void end();  // of the plan

  std::span<const Walk> walks() const { return walks_; }
  const walk::Script& script() const { return script_; }

  void launch(const Walk& walk, walk::World world);

 private:
  void keep_weights();
  CUfunction kernel();
  void close();

  CudaDevice& device_;
  Precision precision_;
  cudaStream_t stream_;
  unsigned blocks_ = 0;
  float* base_ = nullptr;
  std::span<const uint32_t> sources_;
  std::vector<Walk> walks_;
  walk::Script script_;
  walk::WalkedStep step_;
  Walk open_;
  walk::Script::Sizes opened_;  // when the walk was
  double flops_ = 0;            // of the step that is offered
  struct Compiled {
    std::vector<walk::Function> functions;
    walk::Products products;
    CUfunction kernel = nullptr;
  };
  std::vector<Compiled> kernels_;
  DeviceBuffer<unsigned> arrived_;
  unsigned target_ = 0;
};

}  // namespace espalier
