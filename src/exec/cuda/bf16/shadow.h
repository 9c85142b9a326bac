// The factors of bf16 products. Beside the arena lies its shadow: element i of it is element i of the arena, rounded,
// wherever products read it (factors.h). Gathers and element-wise runs write both at once; what anything else has
// written is rounded before the next product (unrounded.h). Weights are rounded once a plan. Without bf16 there is
// nothing here.
#pragma once
#include <optional>
#include <vector>

#include "exec/cuda/bf16/unrounded.h"
#include "exec/cuda/memory/arena.h"
#include "exec/cuda/memory/buffers.h"
#include "exec/cuda/memory/cuda_memory.h"
#include "exec/cuda/product.h"

namespace espalier {

class CudaShadow {
 public:
  CudaShadow(const CudaDevice& device, CudaMemory& memory, const CudaArena& arena, bool on, cudaStream_t stream);

  bool on() const { return shadow_.has_value(); }
  size_t bytes() const { return on() ? shadow_->committed() : 0; }
  void begin(const Plan& plan);  // the arena has grown; parameters are asked for
  void end() { round_rows(); }   // of the plan
  void poison(Range range) const;

  // What kernels are given (rounding.h), for a walk and for the gathers of a step; results of a run that it is to
  // round.
  uint64_t number() const;
  uint64_t of_gathers(const PlanStep& step) const;
  uint64_t results(const Program& program, const Run& run) const;

  // Before the kernels of a step; behind each that is no run.
  void read_in_place(const Plan& plan, const PlanStep& step, const Layout& layout);
  void wrote(const Plan& plan, const PlanStep& step, const RowsOf& out, const Layout& layout);

  // The factors of a product that bf16 is for (factors.h), if they lie as cuBLASLt needs them: rounded from now on.
  void round(Product& product);

 private:
  struct Weight {
    const float* from = nullptr;
    size_t size = 0, at = 0;
    bool rounded = false;
  };
  uint16_t* base() const { return reinterpret_cast<uint16_t*>(shadow_->base()); }
  const uint16_t* rounded(const float* p);
  void round_rows();

  CudaMemory& memory_;
  const CudaArena& arena_;
  cudaStream_t stream_;
  std::optional<CudaArena> shadow_;
  Unrounded unrounded_;
  std::vector<Weight> weights_;  // of the plan
  DeviceBuffer<uint16_t> rounded_weights_;
};

// Rows to rows that lie in the same way.
void cuda_round(const float* from, std::span<const RowsAt> rows, uint16_t* to, cudaStream_t stream);

}  // namespace espalier
