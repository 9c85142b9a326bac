// Runs Plans on a GPU. Everything is put into one stream, in order; the host waits where a value is asked for.
#pragma once
#include <unordered_map>
#include <vector>

#include "exec/cuda/bf16/shadow.h"
#include "exec/cuda/device.h"
#include "exec/cuda/epilogue.h"
#include "exec/cuda/memory/arena.h"
#include "exec/cuda/memory/buffers.h"
#include "exec/cuda/memory/cuda_memory.h"
#include "exec/cuda/memory/upload.h"
#include "exec/cuda/product.h"
#include "exec/cuda/times.h"
#include "exec/cuda/walk/walks.h"
#include "exec/executor.h"
#include "exec/launch.h"

namespace espalier {

class CudaExecutor final : public Executor {
 public:
  CudaExecutor(int device, Precision precision);
  ~CudaExecutor() override;

  void run(const Plan& plan, const RunInputs& inputs) override;
  void accumulate(const Plan& plan, const RunInputs& inputs, detail::GradientState& to) override;
  void read(std::span<const Range> rows, float* out) override;
  std::shared_ptr<const PendingRows> read_later(std::span<const Range> rows) override;
  void add_sum(std::span<const uint64_t> offsets, double factor, detail::LossSum& to) override;
  void wait() override;
  size_t bytes() const override { return arena_.committed() + shadow_.bytes(); }
  uint64_t row_limit() const override { return (uint64_t{1} << 31) - 1; }  // kernels count them in 32 bits
  size_t growths() const override { return arena_.growths(); }
  void poison_all() override;
  void set_timed(bool timed) override;

 private:
  struct Stream {
    explicit Stream(const CudaDevice& device);
    ~Stream() { cudaStreamDestroy(stream); }
    cudaStream_t stream = nullptr;
  };
  // Whatever was put into the stream, the memory's stream follows it; also where an exception ends it half way.
  class Followed {
   public:
    explicit Followed(CudaExecutor& executor) : executor_(executor) {}
    ~Followed();

   private:
    CudaExecutor& executor_;
  };
  // Where the integers of a run are, as bytes of the upload.
  struct RunPlace {
    size_t columns = 0, segments = 0, keys = 0;
    bool there = false;
  };

  void find_walks(const Plan& plan);
  bool offer(const Plan& plan, const PlanStep& step, const Kernel& kernel);
  void prepare(const Plan& plan);
  void send(const Plan& plan);
  void run_step(const Plan& plan, const PlanStep& step);
  void run_walk(const Plan& plan, const Walk& walk);
  void gather(std::span<const Gather> gathers, const Gather* on_device, uint64_t shadow);
  void count_copied(std::span<const Gather> gathers);
  void launch(const Plan& plan, const PlanStep& step, const Kernel& kernel);
  void launch_run(const Plan& plan, const PlanStep& step, const Kernel& kernel);
  // The operands and results of a run, into operands_; how many neighbours a thread can load at once.
  unsigned bind(const Plan& plan, const PlanStep& step, const Run& run);
  void launch_op(const Plan& plan, const PlanStep& step, const Kernel& kernel);
  void linear(const OpLaunch<float>& launch, bool transposed);
  bool multiply_with_run(const Plan& plan, const PlanStep& step, const Kernel& product, const Kernel& run);
  void matmul(const OpLaunch<float>& launch);
  void on_host(const OpLaunch<float>& launch);
  void poison(Range range);
  CUfunction function_of(const Program& program, const Run& run, unsigned lanes, uint64_t shadowed);

  Rows<float> rows(const Plan& plan, const PlanStep& step, const RowsOf& r);
  int64_t rows_in(const PlanStep& step, int space) const;
  const RunPlace& place(const PlanStep& step) const;
  const int32_t* column(const PlanStep& step, size_t which) const;
  Segments segments(const PlanStep& step, int group) const;
  void bring_parameters(const Plan& plan);
  // Launches of a kind, until it ends.
  [[nodiscard]] CudaTimes::Group time(Tally::Kind kind) { return {times_, kind, stream_.stream}; }

  // ---- gradients of parameters
  struct Sum {
    const detail::Slot* slot = nullptr;
    float* numbers = nullptr;
    bool unset = false;  // nothing was added yet
  };
  struct Table {
    const detail::Slot* slot = nullptr;
    size_t sources = 0, offsets = 0, rows = 0;  // in the upload
    size_t count = 0;                           // of rows
    float* sparse = nullptr;                    // their sums; null: they are added to the dense gradient
  };
  void add(const Accumulate& a, Sum& sum);
  void add_rows(const Accumulate& a, Sum& sum);
  void add_product(const Accumulate& a, Sum& sum);
  void zero_if_unset(Sum& sum);
  void sort_table(const Plan& plan, detail::GradientEntry& entry);
  void add_table(const Table& table);

  CudaDevice& device_;
  CudaMemory& memory_;
  Stream stream_;
  CudaTimes times_;
  CudaArena arena_;
  CudaShadow shadow_;
  CudaProducts products_;
  CudaWalks walks_;
  CudaUpload upload_;
  RunInputs inputs_;
  bool infers_ = false;                                                               // the plan
  std::vector<RunPlace> places_;                                                      // per run of the layout
  size_t phases_ = 0, parts_ = 0, terms_ = 0, walk_operands_ = 0, walk_gathers_ = 0;  // in the upload
  size_t sources_ = 0, offsets_ = 0, gathers_ = 0, final_gathers_ = 0, fills_ = 0, data_ = 0;
  size_t first_data_ = 0;               // of the numbers that the user gave: the first that is there
  std::vector<const Kernel*> kernels_;  // of the step
  struct Behind {
    const Kernel* product = nullptr;
    std::optional<Epilogue> epilogue;
  };
  std::unordered_map<uint64_t, Behind> behind_;  // runs behind a product, by their serial numbers
  std::vector<Rows<const float>> in_;
  std::vector<walk::Operand> operands_;
  std::vector<void*> arguments_;
  std::unordered_map<uint64_t, CUfunction>
      functions_;  // by the run's serial number, lanes, and whether the plan infers

  DeviceBuffer<float> scratch_;
  DeviceBuffer<float> collected_;

  struct Contribution {
    int32_t row;
    uint32_t order;
    uint64_t at;
    bool operator<(const Contribution& o) const { return row != o.row ? row < o.row : order < o.order; }
  };
  std::vector<Contribution> contributions_;  // and more that is kept for its memory
  std::vector<int32_t> table_rows_;
  std::vector<uint32_t> table_offsets_;
  std::vector<Sum> sums_;
  std::vector<Table> tables_;
  std::vector<Range> single_;
};

}  // namespace espalier
