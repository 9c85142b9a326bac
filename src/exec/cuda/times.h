// Device time of launches, by events before and after them. Disabled unless `wanted`.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include <cuda_runtime_api.h>

#include "exec/cell_times.h"

namespace espalier {

// The times of the launches of one stream. Thread-safe, except for Entry.
class CudaTimes {
 public:
  CudaTimes() = default;
  CudaTimes(const CudaTimes&) = delete;
  CudaTimes& operator=(const CudaTimes&) = delete;
  ~CudaTimes();  // the stream must be idle

  std::atomic<int> wanted = 0;  // number of executors that want times; 0 disables timing

  // RAII: times the launches of one kind that are enqueued in this scope.
  class Group {
   public:
    Group(CudaTimes& times, KernelStats::Kind kind, cudaStream_t stream);
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group();

   private:
    CudaTimes* times_;  // null: timing is disabled
    KernelStats::Kind kind_;
    cudaStream_t stream_;
    cudaEvent_t begin_ = nullptr;
  };

  // RAII: credits counts and times of this scope to `entry` as well; null disables it. The entry must live until
  // resolve().
  class Entry {
   public:
    Entry(CudaTimes& times, CellTimes::Entry* entry, const KernelStats& stats) : counted_(entry, stats), times_(times) {
      if (entry != nullptr) times.entry_ = &entry->stats;
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() { times_.entry_ = nullptr; }

   private:
    StatsScope counted_;
    CudaTimes& times_;
  };

  // RAII: holds the stream, so that times do not include waiting for the host. The hold ends early before the stream is
  // full, and after 50 ms in case another thread waits for the device.
  class Hold {
   public:
    Hold(CudaTimes& times, cudaStream_t stream);
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() {
      if (times_ != nullptr) times_->release();
    }

   private:
    CudaTimes* times_;
  };
  void release();  // ends all holds

  // Adds the times of completed launches to `into`.
  void resolve(KernelStats& into);

 private:
  struct Timed {
    cudaEvent_t begin, end;
    KernelStats::Kind kind;
    KernelStats* entry;  // or null
  };
  cudaEvent_t take();
  static void wait_for_release(void* times);

  KernelStats* entry_ = nullptr;
  std::mutex mutex_;
  std::vector<cudaEvent_t> free_;
  std::deque<Timed> on_their_way_;  // in stream order

  std::mutex holding_;
  std::condition_variable released_;
  uint64_t held_ = 0, passed_ = 0, let_go_ = 0;  // numbers of holds so far: created, reached by the stream, ended
  std::atomic<int> groups_ = -1;                 // enqueued during the hold; -1: no hold
};

}  // namespace espalier
