// The bf16 copy of the arena: element i of the copy is element i of the arena, rounded, wherever bf16 products read it
// (gpu/bf16/factors.h). Gathers and fused kernels write both; rows written by other kernels are rounded before the next
// product (gpu/bf16/unrounded.h). Weights are rounded once per plan. With other precisions there is no copy, and all
// functions do nothing.
#pragma once
#include <optional>
#include <vector>

#include "exec/cuda/memory/arena.h"
#include "exec/cuda/memory/buffers.h"
#include "exec/cuda/memory/cuda_memory.h"
#include "exec/cuda/product/product.h"
#include "exec/gpu/bf16/unrounded.h"

namespace espalier {

class Bf16Copy {
 public:
  Bf16Copy(const CudaDevice& device, CudaMemory& memory, const CudaArena& arena, bool on, cudaStream_t stream);

  bool on() const { return copy_.has_value(); }
  size_t bytes() const { return on() ? copy_->committed() : 0; }
  void begin(const Plan& plan);  // call after the arena has grown
  void end() { round_rows(); }   // call after the last step of the plan
  void poison(Range range) const;

  // number: the argument `shadow` of kernels (gpu/device/rounding.cuh). of_gathers: the same for the gathers of a step,
  // 0 if these do not write the copy. results: the results that a fused kernel writes to the copy (Factors::results).
  uint64_t number() const;
  uint64_t of_gathers(const PlanStep& step) const;
  SaturatingMask results(const Program& program, const FusedKernel& fused) const;

  const Unrounded* unrounded() const { return on() ? &unrounded_ : nullptr; }

  // Call read_in_place before the kernels of a step, and wrote after each kernel that is not a fused kernel.
  void read_in_place(const Plan& plan, const PlanStep& step, const Layout& layout);
  void wrote(const Plan& plan, const PlanStep& step, const RowsOf& out, const Layout& layout);

  // Sets the rounded factors of a bf16 product (gpu/bf16/factors.h), if their alignment suits cuBLASLt.
  void round(Product& product);

 private:
  struct Weight {
    const float* from = nullptr;
    size_t size = 0, at = 0;
    bool rounded = false;
  };
  uint16_t* base() const { return reinterpret_cast<uint16_t*>(copy_->base()); }
  const uint16_t* rounded(const float* p);
  void round_rows();

  CudaMemory& memory_;
  const CudaArena& arena_;
  cudaStream_t stream_;
  std::optional<CudaArena> copy_;
  Unrounded unrounded_;
  std::vector<Weight> weights_;  // of the plan
  DeviceBuffer<uint16_t> rounded_weights_;
};

// Rounds rows of `from` to `to`, at the same offsets and strides.
void cuda_round(const float* from, std::span<const RowsAt> rows, uint16_t* to, cudaStream_t stream);

}  // namespace espalier
