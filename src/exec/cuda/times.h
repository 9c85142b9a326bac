// How long launches take on the device, by events before and behind them. Nothing is done unless somebody wants it.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include <cuda_runtime_api.h>

#include "exec/cell_times.h"

namespace espalier {

// The launches of one stream. Several threads may use it.
class CudaTimes {
 public:
  CudaTimes() = default;
  CudaTimes(const CudaTimes&) = delete;
  CudaTimes& operator=(const CudaTimes&) = delete;
  ~CudaTimes();  // the stream has nothing left to do

  std::atomic<int> wanted = 0;  // by how many

  // Launches of one kind, put into the stream between its making and its end.
  class Group {
   public:
    Group(CudaTimes& times, Tally::Kind kind, cudaStream_t stream);
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group();

   private:
    CudaTimes* times_;  // null: nobody wants to know
    Tally::Kind kind_;
    cudaStream_t stream_;
    cudaEvent_t begin_ = nullptr;
  };

  // From its making to its end, what a tally grows by and what is timed is an entry's as well, which lives until it is
  // resolved; of none, nothing happens.
  class Entry {
   public:
    Entry(CudaTimes& times, CellTimes::Entry* entry, const Tally& tally) : counted_(entry, tally), times_(times) {
      if (entry != nullptr) times.entry_ = &entry->tally;
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() { times_.entry_ = nullptr; }

   private:
    Counted counted_;
    CudaTimes& times_;
  };

  // While it lives, the device does not start on what is put into the stream, so that it is never the host whose time
  // is taken. It ends by itself where so much is waiting that the stream would be full, and, for whoever waits for the
  // device meanwhile, after a while.
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
  void release();  // what is held goes on now

  // Adds what is over, and forgets it.
  void resolve(Tally& into);

 private:
  struct Timed {
    cudaEvent_t begin, end;
    Tally::Kind kind;
    Tally* entry;  // or null
  };
  cudaEvent_t take();
  static void wait_for_release(void* times);

  Tally* entry_ = nullptr;
  std::mutex mutex_;
  std::vector<cudaEvent_t> free_;
  std::deque<Timed> on_their_way_;  // in the order of the stream

  std::mutex holding_;
  std::condition_variable released_;
  uint64_t held_ = 0, passed_ = 0, let_go_ = 0;  // holds so far: asked for, met by the stream, over
  std::atomic<int> groups_ = -1;                 // put into the stream since it is held; -1: it is not
};

}  // namespace espalier
