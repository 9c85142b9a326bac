// Runs Plans on a GPU. Everything is put into one stream, in order; the host waits where a value is asked for.
#pragma once
#include <unordered_map>
#include <vector>

#include "exec/cuda/arena.h"
#include "exec/cuda/device.h"
#include "exec/cuda/memory.h"
#include "exec/cuda/product.h"
#include "exec/cuda/upload.h"
#include "exec/executor.h"
#include "exec/launch.h"

namespace espalier {

class CudaExecutor final : public Executor {
 public:
  CudaExecutor(int device, Precision precision);
  ~CudaExecutor() override;

  void run(const Plan& plan, const RunInputs& inputs) override;
  void accumulate(const Plan& plan, const RunInputs& inputs, detail::GradientState& to) override;
  void read(uint64_t offset, size_t n, float* out) const override;
  void read_rows(std::span<const Range> rows, float* out) const override;
  double sum_of(std::span<const uint64_t> offsets) const override;
  size_t bytes() const override { return arena_.committed(); }
  size_t growths() const override { return arena_.growths(); }
  void poison_all() override;

 private:
  struct Stream {
    explicit Stream(const CudaDevice& device);
    ~Stream() { cudaStreamDestroy(stream); }
    cudaStream_t stream = nullptr;
  };
  // Where the integers of a run are, as bytes of the upload.
  struct RunPlace {
    size_t columns = 0, segments = 0, keys = 0;
    bool there = false;
  };

  void send(const Plan& plan);
  void run_step(const Plan& plan, const PlanStep& step);
  void launch(const Plan& plan, const PlanStep& step, const Kernel& kernel);
  void launch_run(const Plan& plan, const PlanStep& step, const Kernel& kernel);
  void launch_op(const Plan& plan, const PlanStep& step, const Kernel& kernel);
  void linear(const OpLaunch<float>& launch, bool transposed);
  void matmul(const OpLaunch<float>& launch);
  void on_host(const OpLaunch<float>& launch);
  void poison(Range range);
  CUfunction function_of(const Run& run, unsigned lanes);

  Rows<float> rows(const Plan& plan, const PlanStep& step, const RowsOf& r);
  int64_t rows_in(const PlanStep& step, int space) const;
  const RunPlace& place(const PlanStep& step) const;
  const int32_t* column(const PlanStep& step, size_t which) const;
  Segments segments(const PlanStep& step, int group) const;
  const float* parameter(const detail::Slot& slot);

  // ---- gradients of parameters
  void add(const Accumulate& a, const detail::Slot& slot, float* sum, bool first);
  void add_product(const Accumulate& a, float* sum, bool first);
  void add_sparse(const Plan& plan, detail::GradientEntry& entry);
  void contribute(const Accumulate& a);
  void sum_rows(uint32_t width, std::vector<int32_t>* found, float* out);

  CudaDevice& device_;
  Stream stream_;
  CudaArena arena_;
  CudaProducts products_;
  mutable CudaUpload upload_;
  RunInputs inputs_;
  std::vector<RunPlace> places_;  // per run of the layout
  size_t sources_ = 0, offsets_ = 0, gathers_ = 0, final_gathers_ = 0, fills_ = 0, data_ = 0;
  std::vector<Rows<const float>> in_;
  std::vector<void*> arguments_;
  std::unordered_map<uint64_t, CUfunction> functions_;  // by the run's serial number, and lanes

  struct Copy {
    DeviceBuffer<float> numbers;
    bool current = false;
  };
  std::unordered_map<const detail::Slot*, Copy> parameters_;
  std::unordered_map<const detail::Slot*, DeviceBuffer<float>> sums_;
  DeviceBuffer<float> scratch_;
  mutable DeviceBuffer<float> collected_;
  mutable PinnedBuffer host_;

  struct Contribution {
    int32_t row;
    uint32_t order;
    uint64_t at;
    bool operator<(const Contribution& o) const { return row != o.row ? row < o.row : order < o.order; }
  };
  std::vector<Contribution> contributions_;
};

}  // namespace espalier
