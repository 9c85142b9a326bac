// An Executor runs Plans on one device. It knows neither graphs nor schedules. Not thread-safe; one per shard.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <espalier/tensor/tensor.h>
#include "exec/cell_times.h"
#include "param/gradient_state.h"
#include "plan/plan.h"

namespace espalier {

struct ExecutionInputs {
  const Layout* layout = nullptr;
  const float* data = nullptr;  // recorded by input()
  size_t data_size = 0;
  bool train = true;
  bool poison = false;                         // for tests: fill rows with NaN when they are freed
  unsigned concurrent_executors = 1;           // number of executors that share the device
  detail::GradientState* gradients = nullptr;  // the accumulations of steps add to these; null in a forward plan
};

// Concatenated rows that a device may still be computing. get() waits for them.
struct PendingRows {
  virtual ~PendingRows() = default;
  virtual std::span<const float> get() const = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Runs the steps. Throws DeviceError before the first step if memory cannot be allocated.
  virtual void run(const Plan& plan, const ExecutionInputs& inputs) = 0;
  // Adds the accumulations of the plan that run after all steps to `to`, in order.
  virtual void accumulate(const Plan& plan, const ExecutionInputs& inputs, detail::GradientState& to) = 0;
  // Copies rows to `out`, one after the other.
  virtual void read(std::span<const Range> rows, float* out) = 0;
  // Like read, but does not wait: returns null if the rows are in `out`; otherwise leaves `out` and returns the rows,
  // which later calls of the executor do not change.
  virtual std::shared_ptr<const PendingRows> read_later(std::span<const Range> rows, float* out) {
    read(rows, out);
    return nullptr;
  }
  // to += factor times the sum of the elements at `offsets`, in double. Does not wait for the elements.
  virtual void add_sum(std::span<const uint64_t> offsets, double factor, detail::LossSum& to) = 0;
  virtual void wait() {}               // for all launches so far
  virtual size_t bytes() const = 0;    // memory committed for rows
  virtual size_t growths() const = 0;  // of the arena
  virtual void poison_all() = 0;
  virtual uint64_t row_limit() const { return ~uint64_t{0}; }  // maximum number of elements of a row
  // Whether a backward plan may contain forward steps, and steps with accumulations.
  virtual bool recomputes() const { return true; }
  // The cache that the rows of a step should fit into between its kernels; 0: no preference.
  virtual size_t cache_bytes() const { return 0; }

  // Enables times by cell, and on a GPU all times, which need events around every launch. Off by default. Times of a
  // GPU are known after wait().
  virtual void set_timed(bool timed) { timed_ = timed; }

  KernelStats stats;
  CellTimes cells;

 protected:
  CellTimes::Entry* entry_of(std::span<const PlanStep> steps) { return timed_ ? &cells.of(steps) : nullptr; }
  CellTimes::Entry* entry_of(const detail::ParameterStorage& parameter, uint64_t rows) {
    return timed_ ? &cells.of(parameter, rows) : nullptr;
  }

  bool timed_ = false;
};

// State shared by the executors of one engine, such as copies of weights.
struct SharedByExecutors;
std::shared_ptr<SharedByExecutors> make_shared_by_executors();

// DeviceError if the device does not exist or does not support the precision. `shared` null: shares nothing.
std::unique_ptr<Executor> make_executor(Device device, Precision precision = Precision::f32,
                                        std::shared_ptr<SharedByExecutors> shared = nullptr);
std::unique_ptr<Executor> make_cuda_executor(int device, Precision precision);
// The reason why no CUDA device can be used; empty if one can.
std::string why_no_cuda();
std::vector<std::string> cuda_devices();  // names, by index
std::string cuda_version();               // of the toolkit at build time, "13.0"; empty: built without CUDA
// Measures the floating-point operations per second of a large product, with the code that executors use: an upper
// bound for a model. Takes about 0.1 s and 600 MB.
double cuda_product_rate(int device, Precision precision);
// Peak memory of parameters, gradients and the optimiser's state since the last call, in bytes.
uint64_t take_cuda_peak_of_numbers(int device);

}  // namespace espalier
