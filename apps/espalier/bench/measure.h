// measure: how fast a task runs, and where its time goes.
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
  int ahead = 0;       // threads that prepare minibatches ahead of the one that runs
  double seconds = 2;  // of a window
  int windows = 3;
  bool profile = false;
  bool on_gpu() const { return engine.device.kind == Device::Kind::cuda; }
};

struct Result {
  // Medians over the windows, and the median absolute deviation.
  double examples_per_s = 0, examples_per_s_mad = 0, tokens_per_s = 0;
  double product_flops_per_s = 0;

  // Of one minibatch: means over the first few.
  double calls = 0, steps = 0, lower_bound_steps = 0, launches = 0, copied_bytes = 0;

  // Time of the threads spent by the host for one call: recording it, putting it in a step, planning its rows.
  double record_ns = 0, schedule_ns = 0, plan_ns = 0, host_us_per_example = 0;

  // On the CPU, parts of the wall time, 1 in all, and no walk. A GPU works beside the host: there record, schedule and
  // plan are parts of the wall time, and the others parts of the time in which the device was busy, 1 in all, of a
  // window of their own in which launches were timed.
  static constexpr std::array<std::string_view, 9> shares{"record",      "schedule", "plan",  "gather", "product",
                                                          "elementwise", "update",   "other", "walk"};
  std::array<double, shares.size()> share{};
  double device_us_per_example = 0;  // of that window; launches that run beside each other each count

  std::string profile;  // by cell, where it was asked for

  double product_flops_per_example = 0, product_limit_flops_per_s = 0, roofline = 0;
  uint64_t peak_bytes = 0;  // the most memory that the process held, all of it; on a GPU: rows and numbers there
  double loss = 0;          // of an example, mean of the last window
};

// Warms up, then runs the windows. Ctrl-C ends it early with what is known.
Result measure(Task& task, const Setup& setup);

}  // namespace espalier::app::bench
