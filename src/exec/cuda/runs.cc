// Element-wise runs, each a kernel that was compiled for it.
#include <algorithm>

#include "exec/cuda/compile/source.h"
#include "exec/cuda/executor.h"

namespace espalier {

unsigned CudaExecutor::bind(const Plan& plan, const PlanStep& step, const Run& run) {
  operands_.clear();
  uintptr_t together = run.size * sizeof(float);
  const auto take = [&](const RowsOf& of, bool scalar) {
    const Rows<float> r = rows(plan, step, of);
    operands_.push_back({r.data, r.stride, 0, 0});
    if (!scalar) together |= reinterpret_cast<uintptr_t>(r.data) | static_cast<uintptr_t>(r.stride) * sizeof(float);
  };
  for (const Run::In& i : run.in) take(i.rows, i.scalar);
  for (const Run::Out& o : run.out) take(o.rows, false);
  return together % 16 == 0 ? 4 : together % 8 == 0 ? 2 : 1;
}

void CudaExecutor::launch_run(const Plan& plan, const PlanStep& step, const Kernel& k) {
  const int64_t n = rows_in(step, k.space);
  if (n == 0 || k.run.size == 0) return;
  const unsigned lanes = bind(plan, step, k.run);
  const uint64_t shadowed = shadow_.results(*step.program, k.run);
  uint64_t shadow = shadow_.number();
  const CUfunction function = function_of(*step.program, k.run, lanes, shadowed);
  const uint64_t per_row = k.run.size / lanes;
  const auto timed = time(Tally::elementwise);
  const auto most_rows = static_cast<int64_t>((uint64_t{1} << 31) / per_row);  // threads are counted in 32 bits
  for (int64_t first = 0; first < n; first += most_rows) {
    auto count = static_cast<unsigned>(std::min(n - first, most_rows));
    arguments_.assign(1, &count);
    for (walk::Operand& o : operands_) {
      if (first > 0) o.data += most_rows * o.stride;
      arguments_.push_back(&o.data);
      arguments_.push_back(&o.stride);
    }
    if (shadowed != 0) arguments_.push_back(&shadow);
    const auto blocks = static_cast<unsigned>((count * per_row + run_threads - 1) / run_threads);
    cuda_driver().check(cuda_driver().cuLaunchKernel(function, blocks, 1, 1, run_threads, 1, 1, 0, stream_.stream,
                                                     arguments_.data(), nullptr),
                        "an element-wise kernel");
    ++tally.launches[Tally::elementwise];
  }
}

CUfunction CudaExecutor::function_of(const Program& program, const Run& run, unsigned lanes, uint64_t shadowed) {
  CUfunction& function = functions_[run.serial * 8 + (infers_ ? 4 : 0) + (lanes - 1)];
  if (function == nullptr) {
    const Results results{shadowed, infers_ ? unread_forward(program.code, run) : 0};
    function = device_.kernels.get(cuda_source(run, lanes, results), run_kernel_name);
  }
  return function;
}

}  // namespace espalier
