// The update rules as CUDA kernels: one launch for up to a hundred parameters.
#include "optim/cuda/step.h"

#include "exec/cuda/memory/cuda_memory.h"
#include "exec/cuda/memory/for_all.h"

namespace espalier::detail {
namespace {

template <class Rule>
struct UpdateAll {
  Rule rule;
  const double* sum_of_squares;
  float clip_norm;
  float scale = 1;

  __device__ void begin() {
    if (sum_of_squares != nullptr) scale = clip_factor(*sum_of_squares, clip_norm);
  }
  __device__ void operator()(const DeviceUpdate& u, uint64_t i) const { update_one(rule, u, i, scale); }
};

}  // namespace

void run_on_cuda(const DeviceStep& step, DeviceMemory& memory) {
  const auto stream = static_cast<cudaStream_t>(memory.stream());
  check(cudaSetDevice(memory.device().index), "choosing the device");
  const auto timed = static_cast<CudaMemory&>(memory).update();
  std::visit(
      [&]<class Rule>(const Rule& rule) {
        for_all(std::span<const DeviceUpdate>(step.updates), UpdateAll<Rule>{rule, step.sum_of_squares, step.clip_norm},
                "the optimiser's step", stream);
      },
      step.rule);
}

}  // namespace espalier::detail
