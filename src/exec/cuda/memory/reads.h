// Numbers on their way to the host: copied behind the work that makes them, into pinned memory of their own.
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "exec/cuda/memory/buffers.h"
#include "exec/executor.h"

namespace espalier {

// Pinned memory and events of reads that are over serve later ones. Shared by the executors of a device, and kept alive
// by the reads themselves.
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
