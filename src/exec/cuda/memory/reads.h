// Asynchronous copies to the host, into pinned memory.
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "exec/cuda/memory/buffers.h"
#include "exec/executor.h"

namespace espalier {

// A pool of pinned memory and events, which later reads reuse. Shared by the executors of a device; each read keeps it
// alive.
class CudaReads : public std::enable_shared_from_this<CudaReads> {
 public:
  std::shared_ptr<const PendingRows> start(const float* from, size_t n, cudaStream_t stream);

 private:
  struct Place {
    PinnedBuffer memory;
    Event copied;
  };
  class Read;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Place>> free_;
};

}  // namespace espalier
