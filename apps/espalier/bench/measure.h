// measure: the speed of a task, and where its time goes.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "bench/task.h"

namespace espalier::app::bench {

struct Setup {
  Mode mode = Mode::train;
  EngineOptions engine;
  size_t batch = 64;
  int ahead = 0;       // threads that prepare minibatches ahead of the running one
  double seconds = 2;  // per window
  int windows = 3;
  bool profile = false;
  bool keep_recordings = false;  // record each example once, before the measurement
  bool on_gpu() const { return engine.device.kind == Device::Kind::cuda; }
};

struct Result {
  // Medians over the windows, and the median absolute deviation.
  double examples_per_s = 0, examples_per_s_mad = 0, tokens_per_s = 0;

  // Per minibatch: means over the first few.
  double calls = 0, steps = 0, lower_bound_steps = 0, launches = 0, copied_bytes = 0;

  // Host time per call, summed over threads: recording it, scheduling it, planning its rows.
  double record_ns = 0, schedule_ns = 0, plan_ns = 0, host_us_per_example = 0;

  // On the CPU: shares of the wall time, with sum 1, without "walk" (persistent kernels). On a GPU, which runs
  // asynchronously: record, schedule and plan are shares of the wall time; the others are shares of the device time,
  // with sum 1, measured in a separate window in which launches are timed.
  static constexpr std::array<std::string_view, 9> shares{"record",      "schedule", "plan",  "gather", "product",
                                                          "elementwise", "update",   "other", "walk"};
  std::array<double, shares.size()> share{};
  double device_us_per_example = 0;  // in that window; concurrent launches each count in full

  std::string profile;  // by cell, if Setup::profile

  double product_flops_per_example = 0, product_limit_flops_per_s = 0, roofline = 0;
  uint64_t peak_bytes = 0;  // peak memory of the process; on a GPU: rows and mirrored buffers on the device
  double loss = 0;          // per example, mean of the last window
};

// Warms up, then runs the windows. Ctrl-C ends it early, with the results so far.
Result measure(Task& task, const Setup& setup);

}  // namespace espalier::app::bench
