#include "exec/cuda/persistent/kernels.h"

#include <algorithm>
#include <tuple>

namespace espalier {
namespace {

constexpr size_t static_shared_bytes = 28 << 10;  // static shared memory of the kernel, and the part that CUDA reserves

}  // namespace

PersistentKernels::PersistentKernels(CudaDevice& device, Precision precision, cudaStream_t stream)
    : device_(device), precision_(precision), stream_(stream) {
  device.use();
  check(cudaMemsetAsync(arrived_.need(1), 0, sizeof(unsigned), stream), "barrier of persistent kernels");
}

persistent::Capacity PersistentKernels::capacity(unsigned concurrent_executors) const {
  const unsigned all = static_cast<unsigned>(device_.multiprocessors);
  return {.blocks = std::max(1u, all / std::max(concurrent_executors, 1u)),
          .shared_bytes = device_.shared_bytes - static_shared_bytes,
          .tensor_cores = precision_ != Precision::f32};
}

void PersistentKernels::compile(persistent::Planner& planner, const persistent::Capacity& capacity) {
  blocks_ = capacity.blocks;
  functions_.clear();
  for (const persistent::PlannedKernel& k : planner.kernels()) {
    const Compiled& found = compiled(k);
    for (persistent::Phase& p : planner.phases_of(k))
      if (p.kind == persistent::fused_phase || (p.flags & persistent::with_fused) != 0)
        p.function = static_cast<int>(std::ranges::find(found.functions, k.functions[static_cast<size_t>(p.function)]) -
                                      found.functions.begin());
    functions_.push_back(found.kernel);
  }
}

// A compiled kernel that has all functions of the planned kernel, and perhaps more: compiling a new one takes a second.
const PersistentKernels::Compiled& PersistentKernels::compiled(const persistent::PlannedKernel& k) {
  const auto fits = [&](const Compiled& c) {
    return c.products.fast >= k.products.fast && c.products.plain >= k.products.plain &&
           std::ranges::all_of(k.functions, [&](const persistent::Function& f) {
             return std::ranges::find(c.functions, f) != c.functions.end();
           });
  };
  if (const auto it = std::ranges::find_if(cache_, fits); it != cache_.end()) return *it;
  std::vector<persistent::Function> sorted = k.functions;  // the same source, whichever function came first
  // The program of a fused kernel decides `shadowed`.
  std::ranges::sort(sorted, {}, [](const persistent::Function& f) { return std::tie(f.serial, f.access); });
  const CUfunction made = device_.kernels.get(persistent::source(sorted, k.products), persistent::kernel_name);
  cuda_driver().check(cuda_driver().cuFuncSetAttribute(made, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                       static_cast<int>(device_.shared_bytes - static_shared_bytes)),
                      "shared memory of a persistent kernel");
  return cache_.emplace_back(Compiled{std::move(sorted), k.products, made});
}

void PersistentKernels::launch(const persistent::PlannedKernel& k, size_t which, persistent::Arguments arguments) {
  unsigned first = k.first_phase, count = k.phases, target = target_;
  unsigned* arrived = arrived_.data();
  void* parameters[] = {&arguments, &first, &count, &arrived, &target};
  cuda_driver().check(cuda_driver().cuLaunchCooperativeKernel(functions_[which], blocks_, 1, 1, persistent::threads, 1,
                                                              1, k.shared_bytes, stream_, parameters),
                      "persistent kernel");
  target_ += blocks_ * k.barriers;
}

}  // namespace espalier
