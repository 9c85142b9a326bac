// Runs Plans on a GPU. All launches go to one stream, in order; the host waits only when a value is read.
#pragma once
#include <vector>

#include "exec/cuda/bf16/copy.h"
#include "exec/cuda/launch/fused_launcher.h"
#include "exec/cuda/launch/gradient_accumulator.h"
#include "exec/cuda/launch/op_launcher.h"
#include "exec/cuda/launch/row_reader.h"
#include "exec/cuda/launch/uploaded_plan.h"
#include "exec/cuda/persistent/kernels.h"
#include "exec/cuda/product/launcher.h"
#include "exec/cuda/resources.h"
#include "exec/executor.h"

namespace espalier {

class CudaExecutor final : public Executor {
 public:
  CudaExecutor(int device, Precision precision);
  ~CudaExecutor() override;

  void run(const Plan& plan, const ExecutionInputs& inputs) override;
  bool recomputes() const override { return false; }
  void accumulate(const Plan& plan, const ExecutionInputs& inputs, detail::GradientState& to) override;
  void read(std::span<const Range> rows, float* out) override;
  std::shared_ptr<const PendingRows> read_later(std::span<const Range> rows, float* out) override;
  void add_sum(std::span<const uint64_t> offsets, double factor, detail::LossSum& to) override;
  void wait() override;
  size_t bytes() const override { return resources_.arena.committed() + bf16_.bytes(); }
  uint64_t row_limit() const override { return (uint64_t{1} << 31) - 1; }  // kernels count elements in 32 bits
  size_t growths() const override { return resources_.arena.growths(); }
  void poison_all() override;
  void set_timed(bool timed) override;

 private:
  void prepare(const Plan& plan);
  void bring_parameters(const Plan& plan);
  void find_persistent(const Plan& plan);
  void run_step(const Plan& plan, const PlanStep& step);
  void run_persistent(const Plan& plan, size_t which);
  void fill(const Plan& plan);
  void gather(std::span<const Gather> gathers, const Gather* on_device, uint64_t bf16_copy);
  void launch(const DeviceStepRows& rows, const Kernel& kernel, bool infers);
  void launch_numbers(const DeviceStepRows& rows, const Kernel& kernel);
  void poison(Range range);

  CudaResources resources_;
  Bf16Copy bf16_;
  persistent::Planner planner_;
  PersistentKernels persistent_;
  UploadedPlan uploaded_;
  FusedLauncher fused_;
  ProductLauncher products_;
  OpLauncher ops_;
  GradientAccumulator gradients_;
  RowReader reader_;
  ExecutionInputs inputs_;
  std::vector<const Kernel*> kernels_;  // of the step
};

}  // namespace espalier
