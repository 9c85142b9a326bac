// Launches fused kernels, each compiled from source for its primitives (gpu/fused_source.h).
#pragma once
#include <unordered_map>
#include <vector>

#include "exec/cuda/bf16/copy.h"
#include "exec/cuda/resources.h"
#include "exec/plan_view.h"

namespace espalier {

class FusedLauncher {
 public:
  FusedLauncher(CudaResources& resources, const Bf16Copy& bf16) : resources_(resources), bf16_(bf16) {}

  // infers: the plan is not followed by a backward pass; results that only such a pass reads are not written.
  void launch(const DeviceStepRows& rows, const Kernel& kernel, bool infers);

 private:
  // Sets operands_ to the operands and results. Returns how many neighbouring elements a thread can load at once.
  unsigned bind(const DeviceStepRows& rows, const FusedKernel& fused);
  CUfunction function_of(const Program& program, const FusedKernel& fused, unsigned lanes, bool infers,
                         SaturatingMask shadowed);

  CudaResources& resources_;
  const Bf16Copy& bf16_;
  std::vector<Rows<float>> operands_;
  std::vector<void*> arguments_;
  std::unordered_map<uint64_t, CUfunction> functions_;  // by serial number of the kernel, `infers` and lanes
};

}  // namespace espalier
