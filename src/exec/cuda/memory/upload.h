// Data that kernels read in addition to rows: integers, keys, descriptions. It is assembled in pinned memory and sent
// in one transfer. The host can assemble the next transfer while the device still reads this one.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "exec/cuda/memory/buffers.h"

namespace espalier {

class CudaUpload {
 public:
  explicit CudaUpload(cudaStream_t stream) : stream_(stream) {}

  // Begins a transfer. Waits until the device has read the earlier one in the same pinned memory.
  void begin();
  // Space for n elements, to be written before send(). `at` becomes their position on the device, in bytes.
  template <class T>
  std::span<T> add(size_t n, size_t& at) {
    at = (used_ + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);
    const size_t end = at + n * sizeof(T);
    std::byte* host = host_[turn_].need(end, used_);
    used_ = end;
    return {reinterpret_cast<T*>(host + at), n};  // valid until the next add()
  }
  template <class T>
  size_t put(std::span<const T> values) {
    size_t at = 0;
    const std::span<T> to = add<T>(values.size(), at);
    if (!values.empty()) std::memcpy(to.data(), values.data(), values.size_bytes());
    return at;
  }
  void send();

  template <class T>
  const T* at(size_t place) const {
    return reinterpret_cast<const T*>(device_.data() + place);
  }

 private:
  cudaStream_t stream_;
  static constexpr size_t ahead = 16;  // maximum transfers in flight; a minibatch has four
  std::array<PinnedBuffer, ahead> host_;
  std::array<Event, ahead> sent_;
  DeviceBuffer<std::byte> device_;
  size_t turn_ = 0, used_ = 0;
};

}  // namespace espalier
