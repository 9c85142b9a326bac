// A buffer mirrored on host and device. Each side is updated lazily when it is accessed; unchanged data is not copied.
// Many concurrent readers or one writer. At most one device holds a copy: accessing the buffer on another device moves
// it there.
#pragma once
#include <atomic>

#include "base/aligned_vector.h"
#include "tensor/device_array.h"

namespace espalier {

template <class T>
class MirroredBuffer {
 public:
  MirroredBuffer() = default;
  MirroredBuffer(MirroredBuffer&& other) noexcept { *this = std::move(other); }
  MirroredBuffer& operator=(MirroredBuffer&& other) noexcept;

  size_t size() const;
  // The device that holds the current values; null if only the host does, or neither.
  DeviceMemory* device() const { return (fresh() & on_device) != 0 ? device_.memory() : nullptr; }

  const AlignedVector<T>& host() const {
    if ((fresh() & on_host) == 0) [[unlikely]]
      bring_to_host();
    return host_;
  }
  // Invalidates the device copy. The vector may be resized.
  AlignedVector<T>& host_to_write() {
    host();
    fresh_.store(on_host, std::memory_order_relaxed);
    return host_;
  }

  const T* on(DeviceMemory& memory) const {
    if ((fresh() & on_device) == 0 || device_.memory() != &memory) [[unlikely]]
      bring_to(memory);
    return device_.data();
  }
  // Invalidates the host copy.
  T* to_write_on(DeviceMemory& memory) {
    on(memory);
    fresh_.store(on_device, std::memory_order_relaxed);
    return device_.data();
  }

  // Makes n uninitialised elements. The next access must write them; nothing is copied.
  void renew(size_t n) {
    renewed_ = n;
    fresh_.store(nowhere, std::memory_order_relaxed);
  }
  T* renew_on(DeviceMemory& memory, size_t n) {
    renew(n);
    return to_write_on(memory);
  }

 private:
  enum : uint8_t { nowhere = 0, on_host = 1, on_device = 2 };

  uint8_t fresh() const { return fresh_.load(std::memory_order_acquire); }
  void bring_to_host() const;
  void bring_to(DeviceMemory& memory) const;

  mutable AlignedVector<T> host_;
  mutable DeviceArray<T> device_;
  size_t renewed_ = 0;                            // the size while neither side holds the values
  mutable std::atomic<uint8_t> fresh_ = on_host;  // the sides that hold the current values
};

using MirroredFloats = MirroredBuffer<float>;
using MirroredInts = MirroredBuffer<int32_t>;

extern template class MirroredBuffer<float>;
extern template class MirroredBuffer<int32_t>;

}  // namespace espalier
