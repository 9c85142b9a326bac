// The update rules as kernels: one launch for up to a hundred parameters, whatever their sizes. What is to be done
// travels as the kernel's argument, so that nothing is copied to the device before it.
#include "optim/cuda/step.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include <espalier/base/error.h>

namespace espalier::detail {
namespace {

constexpr uint32_t threads = 256, at_once = 100;
constexpr uint64_t per_block = uint64_t{threads} * 8;  // numbers, where a parameter has as many
constexpr uint32_t most_blocks = 1u << 16;             // of one parameter; they go round where it is larger

struct Batch {
  DeviceUpdate update[at_once];
  uint32_t end[at_once];  // the block behind the last of each
  uint32_t count;
};

template <class Rule>
__global__ void __launch_bounds__(threads)
    update_all(const __grid_constant__ Batch batch, const Rule rule, const double* sum_of_squares, float clip_norm) {
  uint32_t low = 0, high = batch.count - 1;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (blockIdx.x < batch.end[middle])
      high = middle;
    else
      low = middle + 1;
  }
  const uint32_t first = low > 0 ? batch.end[low - 1] : 0;
  const DeviceUpdate u = batch.update[low];
  const float scale = sum_of_squares != nullptr ? clip_factor(*sum_of_squares, clip_norm) : 1;
  const uint64_t stride = uint64_t{batch.end[low] - first} * threads;
  for (uint64_t i = uint64_t{blockIdx.x - first} * threads + threadIdx.x; i < u.n; i += stride)
    update_one(rule, u, i, scale);
}

template <class Rule>
void launch(const Batch& batch, const Rule& rule, const DeviceStep& step, cudaStream_t stream) {
  update_all<<<batch.end[batch.count - 1], threads, 0, stream>>>(batch, rule, step.sum_of_squares, step.clip_norm);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess)
    throw DeviceError(std::string("step: the optimiser's kernel cannot be launched: ") + cudaGetErrorString(error));
}

}  // namespace

void run_on_cuda(const DeviceStep& step, DeviceMemory& memory) {
  const auto stream = static_cast<cudaStream_t>(memory.stream());
  std::visit(
      [&](const auto& rule) {
        Batch batch;
        batch.count = 0;
        uint32_t blocks = 0;
        for (const DeviceUpdate& u : step.updates) {
          if (u.n == 0) continue;
          blocks += static_cast<uint32_t>(std::min<uint64_t>((u.n + per_block - 1) / per_block, most_blocks));
          batch.update[batch.count] = u;
          batch.end[batch.count] = blocks;
          if (++batch.count < at_once) continue;
          launch(batch, rule, step, stream);
          batch.count = blocks = 0;
        }
        if (batch.count > 0) launch(batch, rule, step, stream);
      },
      step.rule);
}

}  // namespace espalier::detail
