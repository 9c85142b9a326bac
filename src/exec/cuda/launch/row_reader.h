// Copies rows and losses to the host, asynchronously.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "exec/cuda/memory/buffers.h"
#include "exec/cuda/resources.h"
#include "exec/executor.h"

namespace espalier {

class RowReader {
 public:
  explicit RowReader(CudaResources& resources) : resources_(resources) {}

  std::shared_ptr<const PendingRows> read_later(std::span<const Range> rows);
  // to += factor times the sum of the elements at `offsets`, in double, when they arrive.
  void add_sum(std::span<const uint64_t> offsets, double factor, detail::LossSum& to);

 private:
  CudaResources& resources_;
  DeviceBuffer<float> collected_;
  std::vector<Range> elements_;
};

}  // namespace espalier
