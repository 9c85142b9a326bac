// A walk: narrow steps that follow each other, in one launch. Where a step has few rows, launches take longer than the
// work; so one kernel whose blocks are all there at once goes from product to element-wise run to the next gather, and
// waits for its other blocks in between.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include <espalier/tensor/tensor.h>
#include "exec/cuda/device.h"
#include "exec/cuda/memory/buffers.h"
#include "exec/cuda/walk/source.h"
#include "exec/cuda/walk/types.h"

namespace espalier {

struct Walk {
  uint32_t first_step = 0, steps = 0;
  unsigned first_phase = 0, phases = 0, meetings = 0;
  unsigned first_operand = 0, operands = 0;
  unsigned shared_bytes = 0;
  double product_flops = 0;
  CUfunction kernel = nullptr;
};

// The walks of one plan: steps are offered in order, and taken or not.
class CudaWalks {
 public:
  CudaWalks(CudaDevice& device, Precision precision, cudaStream_t stream);

  void begin();
  // The phases of a step, as far as they are known; end_step() takes them, drop_step() forgets them.
  void gather(uint32_t first, uint32_t count);
  bool product(const walk::Phase& product, double flops);  // false: it is too large, the step does better by itself
  void run(const Run& run, unsigned lanes, unsigned rows, std::span<const walk::Operand> operands, uint64_t shadowed);
  void end_step(uint32_t step);
  void drop_step();
  void end();  // of the plan

  std::span<const Walk> walks() const { return walks_; }
  std::span<const walk::Phase> phases() const { return phases_; }
  std::span<const walk::Operand> operands() const { return operands_; }

  struct Places {
    const walk::Phase* phases;
    float* base;
    const uint32_t* sources;
    const uint32_t* offsets;
    const Gather* gathers;
    const walk::Operand* operands;
    uint64_t shadow;  // bf16/rounding.h
  };
  void launch(const Walk& walk, Places places);

 private:
  walk::Phase* last_product();
  bool needs_none_on_its_way(const walk::Phase& p) const;
  void keep_weights();
  void sort_functions();
  void close();

  CudaDevice& device_;
  Precision precision_;
  cudaStream_t stream_;
  std::vector<Walk> walks_;
  std::vector<walk::Phase> phases_;
  std::vector<walk::Operand> operands_;
  std::vector<walk::Function> functions_;  // of the walk that is being made
  Walk open_;
  size_t kept_phases_ = 0, kept_operands_ = 0, kept_functions_ = 0;  // by steps that were taken
  double flops_ = 0;                                                 // of the step that is offered
  std::map<std::vector<uint64_t>, CUfunction> kernels_;
  DeviceBuffer<unsigned> arrived_;
  unsigned target_ = 0;
};

}  // namespace espalier
