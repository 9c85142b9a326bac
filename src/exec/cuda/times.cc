#include "exec/cuda/times.h"

#include <chrono>

#include "exec/cuda/check.h"

namespace espalier {
namespace {

constexpr int max_groups = 200;  // a stream holds about 1000 commands; a group has three or four
constexpr auto max_patience = std::chrono::milliseconds(50);

}  // namespace

CudaTimes::~CudaTimes() {
  for (const Timed& t : on_their_way_) {
    cudaEventDestroy(t.begin);
    cudaEventDestroy(t.end);
  }
  for (cudaEvent_t e : free_) cudaEventDestroy(e);
}

cudaEvent_t CudaTimes::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    cudaEvent_t made = nullptr;
    check(cudaEventCreate(&made), "an event");
    return made;
  }
  cudaEvent_t taken = free_.back();
  free_.pop_back();
  return taken;
}

CudaTimes::Group::Group(CudaTimes& times, KernelStats::Kind kind, cudaStream_t stream)
    : times_(times.wanted.load(std::memory_order_relaxed) > 0 ? &times : nullptr), kind_(kind), stream_(stream) {
  if (times_ == nullptr) return;
  if (times.groups_ >= 0 && ++times.groups_ >= max_groups) times.release();
  begin_ = times.take();
  check(cudaEventRecord(begin_, stream), "recording an event");
}

// An event that cannot be recorded is dropped: the launch has failed as well and reports it.
CudaTimes::Group::~Group() {
  if (times_ == nullptr) return;
  try {
    const cudaEvent_t end = times_->take();
    const bool recorded = cudaEventRecord(end, stream_) == cudaSuccess;
    const std::lock_guard lock(times_->mutex_);
    if (recorded)
      times_->on_their_way_.push_back({begin_, end, kind_, times_->entry_});
    else
      times_->free_.insert(times_->free_.end(), {begin_, end});
  } catch (const DeviceError&) {
    cudaEventDestroy(begin_);
  }
}

void CudaTimes::resolve(KernelStats& into) {
  const std::lock_guard lock(mutex_);
  while (!on_their_way_.empty()) {
    const Timed& t = on_their_way_.front();
    float ms = 0;
    if (cudaEventQuery(t.end) != cudaSuccess || cudaEventElapsedTime(&ms, t.begin, t.end) != cudaSuccess) {
      cudaGetLastError();  // clears "not ready"
      return;
    }
    into.seconds[t.kind] += static_cast<double>(ms) * 1e-3;
    if (t.entry != nullptr) t.entry->seconds[t.kind] += static_cast<double>(ms) * 1e-3;
    free_.insert(free_.end(), {t.begin, t.end});
    on_their_way_.pop_front();
  }
}

// ---- holding

CudaTimes::Hold::Hold(CudaTimes& times, cudaStream_t stream)
    : times_(times.wanted.load(std::memory_order_relaxed) > 0 ? &times : nullptr) {
  if (times_ == nullptr) return;
  {
    const std::lock_guard lock(times.holding_);
    ++times.held_;
  }
  times.groups_ = 0;
  if (const cudaError_t answer = cudaLaunchHostFunc(stream, wait_for_release, &times); answer != cudaSuccess) {
    times.release();
    check(answer, "holding the stream");
  }
}

void CudaTimes::release() {
  groups_ = -1;
  const std::lock_guard lock(holding_);
  let_go_ = held_;
  released_.notify_all();
}

// Called by a thread of the driver when the stream reaches it.
void CudaTimes::wait_for_release(void* times) {
  auto& t = *static_cast<CudaTimes*>(times);
  std::unique_lock lock(t.holding_);
  const uint64_t which = ++t.passed_;
  t.released_.wait_for(lock, max_patience, [&] { return t.let_go_ >= which; });
}

}  // namespace espalier
