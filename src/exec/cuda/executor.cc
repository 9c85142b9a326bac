#include "exec/cuda/executor.h"

#include <algorithm>

#include "exec/cuda/launch/rows.h"
#include "exec/gpu/persistent/find.h"
#include "exec/profiler_range.h"
#include "plan/left_free.h"

namespace espalier {

CudaExecutor::CudaExecutor(int device, Precision precision)
    : resources_(device, stats),
      bf16_(resources_.device, resources_.memory, resources_.arena, precision == Precision::bf16, resources_.stream),
      persistent_(resources_.device, precision, resources_.stream),
      uploaded_(resources_.upload),
      fused_(resources_, bf16_),
      products_(resources_, bf16_, precision),
      ops_(resources_, products_),
      gradients_(resources_, products_),
      reader_(resources_) {}

CudaExecutor::~CudaExecutor() {
  CudaExecutor::set_timed(false);
  cudaStreamSynchronize(resources_.stream);
}

// The work of the main stream is timed while any executor is.
void CudaExecutor::set_timed(bool timed) {
  const int change = int{timed} - int{timed_};
  resources_.times.wanted += change;
  resources_.memory.times.wanted += change;
  resources_.cells = timed ? &cells : nullptr;
  timed_ = timed;
}

// ---- a plan

void CudaExecutor::run(const Plan& plan, const ExecutionInputs& inputs) {
  resources_.device.use();
  if (timed_) {
    resources_.times.resolve(stats);
    resources_.memory.times.resolve(stats);
  }
  resources_.arena.grow(plan.elements * sizeof(float));
  inputs_ = inputs;
  const MainStreamFollows follows(resources_);
  prepare(plan);
  const CudaTimes::Hold hold(resources_.times, resources_.stream);
  fill(plan);
  const std::span<const persistent::PlannedKernel> kernels = planner_.kernels();
  size_t next = 0;  // the next of `kernels`
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    try {
      if (next < kernels.size() && kernels[next].first_step == i) {
        run_persistent(plan, next);
        i += kernels[next++].steps - 1;
      } else {
        run_step(plan, step);
      }
    } catch (DeviceError& e) {
      e.append(" (step " + std::to_string(i + 1) + " of " + std::to_string(plan.steps.size()) + ", cell " +
               str(step.program->name) + (step.backward ? ", backward)" : ")"));
      throw;
    }
  }
  gather(plan.final_gathers, uploaded_.final_gathers(), 0);
  if (bf16_.on()) {
    const auto timed = resources_.time(KernelStats::other);
    bf16_.end();
  }
}

// Provides everything that the plan needs in addition to rows: parameters, kernels, indices.
void CudaExecutor::prepare(const Plan& plan) {
  try {
    bf16_.begin(plan);
    bring_parameters(plan);
    find_persistent(plan);
    uploaded_.send(plan, inputs_, planner_.script());
  } catch (DeviceError& e) {
    e.append(" (for a plan of " + std::to_string(plan.steps.size()) + " steps and " +
             amount(plan.elements * sizeof(float)) + " of rows)");
    throw;
  }
}

// Parameters are copied on the main stream; the executor's stream then waits for the main stream.
void CudaExecutor::bring_parameters(const Plan& plan) {
  const Program* last = nullptr;
  for (const PlanStep& step : plan.steps) {
    if (step.program == last) continue;
    last = step.program;
    for (const auto& storage : step.program->parameters) storage->data.on(resources_.memory);
  }
  resources_.memory.precede(resources_.stream);
}

void CudaExecutor::find_persistent(const Plan& plan) {
  const persistent::Capacity capacity = persistent_.capacity(inputs_.concurrent_executors);
  persistent::find_steps(plan, *inputs_.layout, resources_.arena.base(), resources_.memory, bf16_.unrounded(), capacity,
                         planner_);
  persistent_.compile(planner_, capacity);
}

// ---- steps

void CudaExecutor::run_persistent(const Plan& plan, size_t which) {
  const persistent::PlannedKernel& kernel = planner_.kernels()[which];
  const ProfilerRange shown("persistent kernel");
  const auto steps = std::span(plan.steps).subspan(kernel.first_step, kernel.steps);
  const auto credited = resources_.credit(steps);
  const auto timed = resources_.time(KernelStats::persistent);
  persistent_.launch(kernel, which, uploaded_.arguments(resources_.arena.base(), bf16_.number()));
  for (const PlanStep& step : steps) {
    stats.copied_elements += copied_elements(gathers_of(plan, step));
    bf16_.read_in_place(plan, step, *inputs_.layout);
    step.each_kernel([&](const Kernel& k) {
      if (k.kind != Kernel::Kind::fused) bf16_.wrote(plan, step, k.out, *inputs_.layout);
    });
  }
  if (inputs_.poison)
    for (const Range& r : left_free(plan, *inputs_.layout, kernel.first_step, kernel.steps)) poison(r);
  stats.product_flops += kernel.product_flops;
  ++stats.launches[KernelStats::persistent];
}

void CudaExecutor::run_step(const Plan& plan, const PlanStep& step) {
  const ProfilerRange shown(str(step.program->name).c_str());
  const auto credited = resources_.credit({&step, 1});
  gather(gathers_of(plan, step), uploaded_.gathers(step), bf16_.of_gathers(step));
  bf16_.read_in_place(plan, step, *inputs_.layout);
  const DeviceStepRows rows(plan, step, *inputs_.layout, resources_.arena.base(),
                            ParametersOnDevice{&resources_.memory});
  kernels_.clear();
  step.each_kernel([&](const Kernel& k) { kernels_.push_back(&k); });
  for (size_t i = 0; i < kernels_.size(); ++i) {
    const Kernel& k = *kernels_[i];
    if (i + 1 < kernels_.size() && products_.launch_with_epilogue(rows, k, *kernels_[i + 1])) {
      bf16_.wrote(plan, step, kernels_[++i]->fused.out[0].rows, *inputs_.layout);
      continue;
    }
    launch(rows, k, plan.infers);
    if (k.kind != Kernel::Kind::fused) bf16_.wrote(plan, step, k.out, *inputs_.layout);
  }
  if (inputs_.poison)
    for (const Range& r : freed_by(plan, step)) poison(r);
}

void CudaExecutor::launch(const DeviceStepRows& rows, const Kernel& k, bool infers) {
  switch (k.kind) {
    case Kernel::Kind::number:
      return launch_numbers(rows, k);
    case Kernel::Kind::fused:
      return fused_.launch(rows, k, infers);
    case Kernel::Kind::op:
      return ops_.launch(rows, uploaded_, k, inputs_.train);
  }
}

void CudaExecutor::launch_numbers(const DeviceStepRows& rows, const Kernel& k) {
  const auto timed = resources_.time(KernelStats::other);
  const Rows<float> out = rows[k.out];
  cuda_numbers(uploaded_.integers(rows.step).numbers(k.number), rows.step.rows, out.data, out.stride,
               resources_.stream);
  ++stats.launches[KernelStats::other];
}

void CudaExecutor::gather(std::span<const Gather> gathers, const Gather* on_device, uint64_t shadow) {
  if (gathers.empty()) return;
  const auto timed = resources_.time(KernelStats::gather);
  cuda_gather({resources_.arena.base(), uploaded_.sources(), uploaded_.offsets(), on_device, gathers, shadow},
              resources_.stream);
  ++stats.launches[KernelStats::gather];
  stats.copied_elements += copied_elements(gathers);
}

void CudaExecutor::fill(const Plan& plan) {
  if (plan.fills.empty()) return;
  const auto timed = resources_.time(KernelStats::other);
  cuda_fill(resources_.arena.base(), uploaded_.fills(), plan.fills.size(), resources_.stream);
  ++stats.launches[KernelStats::other];
}

void CudaExecutor::poison(Range r) {
  bf16_.poison(r);
  check(cudaMemsetAsync(resources_.arena.base() + r.offset, 0xff, r.size * sizeof(float), resources_.stream),
        "poison");  // NaN
}
void CudaExecutor::poison_all() {
  resources_.device.use();
  poison({0, resources_.arena.committed() / sizeof(float)});
}

// ---- results

void CudaExecutor::accumulate(const Plan& plan, const ExecutionInputs& inputs, detail::GradientState& to) {
  resources_.device.use();
  inputs_ = inputs;
  gradients_.accumulate(plan, to);
}

std::shared_ptr<const PendingRows> CudaExecutor::read_later(std::span<const Range> rows, float*) {
  return reader_.read_later(rows);
}
void CudaExecutor::read(std::span<const Range> rows, float* out) {
  std::ranges::copy(reader_.read_later(rows)->get(), out);
}
void CudaExecutor::add_sum(std::span<const uint64_t> offsets, double factor, detail::LossSum& to) {
  reader_.add_sum(offsets, factor, to);
}

void CudaExecutor::wait() {
  resources_.device.use();
  check(cudaStreamSynchronize(resources_.stream), "waiting for the device");
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(resources_.memory.stream())), "waiting for the device");
  resources_.times.resolve(stats);
  resources_.memory.times.resolve(stats);
  stats.launches[KernelStats::update] += resources_.memory.take_launches();
}

std::unique_ptr<Executor> make_cuda_executor(int device, Precision precision) {
  return std::make_unique<CudaExecutor>(device, precision);
}

}  // namespace espalier
