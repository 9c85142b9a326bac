// Owning buffers in device memory and in pinned host memory, and events.
#pragma once
#include <cstddef>
#include <utility>

#include <cuda_runtime_api.h>

#include "exec/cuda/check.h"

namespace espalier {

// Grows on demand and then loses its content. Growing waits for the device.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() { cudaFree(data_); }

  T* need(size_t n) {
    if (n <= size_) return data_;
    cudaFree(std::exchange(data_, nullptr));
    size_ = 0;
    const size_t more = n + n / 4;  // to grow rarely
    data_ = static_cast<T*>(allocate_on_device(more * sizeof(T), "memory for indices and sums"));
    size_ = more;
    return data_;
  }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

// The same in pinned host memory. Growing keeps the first `kept` bytes.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PinnedBuffer() { cudaFreeHost(data_); }

  std::byte* need(size_t bytes, size_t kept = 0);
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "an event"); }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "recording an event"); }
  void wait() const { check(cudaEventSynchronize(event_), "waiting for the device"); }
  bool over() const {
    const bool is = cudaEventQuery(event_) == cudaSuccess;
    if (!is) cudaGetLastError();  // clears "not ready"
    return is;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace espalier
