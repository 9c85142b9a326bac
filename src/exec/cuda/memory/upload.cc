#include "exec/cuda/memory/upload.h"

#include <algorithm>

namespace espalier {

std::byte* PinnedBuffer::need(size_t bytes, size_t kept) {
  if (bytes <= size_) return data_;
  const size_t size = std::max(bytes, size_ * 2);
  void* memory = nullptr;
  check(cudaMallocHost(&memory, size), "pinned memory");
  auto* const fresh = static_cast<std::byte*>(memory);
  if (kept > 0) std::memcpy(fresh, data_, kept);
  cudaFreeHost(data_);
  data_ = fresh;
  size_ = size;
  return data_;
}

void CudaUpload::begin() {
  turn_ = (turn_ + 1) % host_.size();
  sent_[turn_].wait();
  used_ = 0;
}

void CudaUpload::send() {
  if (used_ > 0)
    check(cudaMemcpyAsync(device_.need(used_), host_[turn_].data(), used_, cudaMemcpyHostToDevice, stream_),
          "sending indices");
  sent_[turn_].record(stream_);
}

}  // namespace espalier
