// How long a stream's work took, by kind. Off, it costs nothing; on, an event for each launch. What the device waits for
// the host is told with what came after.
#pragma once
#include <vector>

#include "exec/cuda/check.h"
#include "exec/executor.h"

namespace espalier {

class CudaStopwatch {
 public:
  CudaStopwatch(cudaStream_t stream, bool on) : stream_(stream), on_(on) {}
  CudaStopwatch(const CudaStopwatch&) = delete;
  CudaStopwatch& operator=(const CudaStopwatch&) = delete;
  ~CudaStopwatch() {
    for (cudaEvent_t e : events_) cudaEventDestroy(e);
  }

  // From here on the work is of that kind; `kinds`: not counted.
  void lap(Tally::Kind kind) {
    if (!on_) return;
    if (used_ == events_.size()) {
      events_.emplace_back();
      check(cudaEventCreate(&events_.back()), "an event");
    }
    check(cudaEventRecord(events_[used_++], stream_), "recording an event");
    kinds_.push_back(kind);
  }
  // Adds what was measured; the stream has ended its work.
  void add_to(Tally& tally) {
    for (size_t i = 0; i + 1 < used_; ++i) {
      float ms = 0;
      if (kinds_[i] == Tally::kinds || cudaEventElapsedTime(&ms, events_[i], events_[i + 1]) != cudaSuccess) continue;
      tally.seconds[kinds_[i]] += static_cast<double>(ms) * 1e-3;
    }
    used_ = 0;
    kinds_.clear();
  }

 private:
  cudaStream_t stream_;
  bool on_;
  std::vector<cudaEvent_t> events_;
  size_t used_ = 0;
  std::vector<Tally::Kind> kinds_;
};

}  // namespace espalier
