#include "exec/cuda/launch/fused_launcher.h"

#include <algorithm>

#include "exec/gpu/fused_source.h"

namespace espalier {

unsigned FusedLauncher::bind(const DeviceStepRows& rows, const FusedKernel& fused) {
  operands_.clear();
  uintptr_t together = fused.size * sizeof(float);
  const auto take = [&](const RowsOf& of, bool scalar) {
    const Rows<float>& r = operands_.emplace_back(rows[of]);
    if (!scalar) together |= reinterpret_cast<uintptr_t>(r.data) | static_cast<uintptr_t>(r.stride) * sizeof(float);
  };
  for (const FusedKernel::In& i : fused.in) take(i.rows, i.scalar);
  for (const FusedKernel::Out& o : fused.out) take(o.rows, false);
  return together % 16 == 0 ? 4 : together % 8 == 0 ? 2 : 1;
}

void FusedLauncher::launch(const DeviceStepRows& rows, const Kernel& k, bool infers) {
  const int64_t n = rows.count(k.space);
  if (n == 0 || k.fused.size == 0) return;
  const unsigned lanes = bind(rows, k.fused);
  const SaturatingMask shadowed = bf16_.results(*rows.step.program, k.fused);
  uint64_t shadow = bf16_.number();
  const CUfunction function = function_of(*rows.step.program, k.fused, lanes, infers, shadowed);
  const uint64_t per_row = k.fused.size / lanes;
  const auto timed = resources_.time(KernelStats::elementwise);
  const auto max_rows = static_cast<int64_t>((uint64_t{1} << 31) / per_row);  // threads are counted in 32 bits
  for (int64_t first = 0; first < n; first += max_rows) {
    auto count = static_cast<unsigned>(std::min(n - first, max_rows));
    arguments_.assign(1, &count);
    for (Rows<float>& o : operands_) {
      if (first > 0) o.data += max_rows * o.stride;
      arguments_.push_back(&o.data);
      arguments_.push_back(&o.stride);
    }
    if (shadowed.any()) arguments_.push_back(&shadow);
    const auto blocks = static_cast<unsigned>((count * per_row + fused_kernel_threads - 1) / fused_kernel_threads);
    cuda_driver().check(cuda_driver().cuLaunchKernel(function, blocks, 1, 1, fused_kernel_threads, 1, 1, 0,
                                                     resources_.stream, arguments_.data(), nullptr),
                        "fused kernel");
    ++resources_.stats.launches[KernelStats::elementwise];
  }
}

CUfunction FusedLauncher::function_of(const Program& program, const FusedKernel& fused, unsigned lanes, bool infers,
                                      SaturatingMask shadowed) {
  CUfunction& function = functions_[fused.serial * 8 + (infers ? 4 : 0) + (lanes - 1)];
  if (function == nullptr) {
    const Results results{shadowed, infers ? unread_forward(program.code, fused) : SaturatingMask()};
    function = resources_.device.kernels.get(cuda_source(fused, lanes, results), fused_kernel_name);
  }
  return function;
}

}  // namespace espalier
