// An Executor runs Plans on one device. It knows nothing of graphs and schedules. Not thread-safe; one per shard.
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

struct RunInputs {
  const Layout* layout = nullptr;
  const float* data = nullptr;  // what input() recorded
  size_t data_size = 0;
  bool train = true;
  bool poison = false;  // rows are filled with NaN when they are freed: for tests
  unsigned beside = 1;  // executors that run at the same time and share the device
};

// Rows that a device may still be computing, one after the other; get() waits for them.
struct PendingRows {
  virtual ~PendingRows() = default;
  virtual std::span<const float> get() const = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Runs the steps. Throws DeviceError when memory cannot be had, before anything has run.
  virtual void run(const Plan& plan, const RunInputs& inputs) = 0;
  // Adds the plan's accumulations to `to`, in their order.
  virtual void accumulate(const Plan& plan, const RunInputs& inputs, detail::GradientState& to) = 0;
  // Rows, one after the other.
  virtual void read(std::span<const Range> rows, float* out) = 0;
  // The same without waiting; what is asked of the executor later does not change them.
  virtual std::shared_ptr<const PendingRows> read_later(std::span<const Range> rows);
  // to += factor · Σ numbers, in double; where they are on their way, so is the sum.
  virtual void add_sum(std::span<const uint64_t> offsets, double factor, detail::LossSum& to) = 0;
  virtual void wait() {}               // until all that was asked for is done
  virtual size_t bytes() const = 0;    // committed
  virtual size_t growths() const = 0;  // how often the arena grew
  virtual void poison_all() = 0;
  virtual uint64_t row_limit() const { return ~uint64_t{0}; }  // elements of a row that its kernels can count
  // What a step's rows should fit into while its kernels run one after the other; 0: that does not matter.
  virtual size_t cache_bytes() const { return 0; }

  // Times by cell, and on a GPU times at all, which take events around every launch: off unless asked for. There, what
  // was timed is known once it was waited for.
  virtual void set_timed(bool timed) { timed_ = timed; }

  Tally tally;
  CellTimes cells;

 protected:
  CellTimes::Entry* entry_of(std::span<const PlanStep> steps) { return timed_ ? &cells.of(steps) : nullptr; }
  CellTimes::Entry* entry_of(const std::string& parameter, uint64_t rows) {
    return timed_ ? &cells.of(parameter, rows) : nullptr;
  }

  bool timed_ = false;
};

// DeviceError: there is no such device, or it does not compute so.
std::unique_ptr<Executor> make_executor(Device device, Precision precision = Precision::f32);
std::unique_ptr<Executor> make_cuda_executor(int device, Precision precision);
// Why there is no CUDA device; empty where there is one.
std::string why_no_cuda();
std::vector<std::string> cuda_devices();  // their names, by number
std::string cuda_version();               // of the toolkit that this was built with, "13.0"; empty: built without CUDA
// Floating-point operations a second of a large product there, by the code that multiplies for executors: what a model
// could reach at best. It takes about a tenth of a second and 600 MB.
double cuda_product_rate(int device, Precision precision);
// The most memory that parameters, gradients and the optimiser's state have taken there since it was last asked.
uint64_t take_cuda_peak_of_numbers(int device);

}  // namespace espalier
