// Numbers on the host, on a device, or on both. Each side is brought up to date when it is asked for, and only then:
// what nobody changed is not copied. Any number of threads may read at once, whoever writes is alone. On one device at
// a time: asked for on another, they move there.
#pragma once
#include <atomic>
#include <vector>

#include "tensor/device_array.h"

namespace espalier {

template <class T>
class BasicNumbers {
 public:
  BasicNumbers() = default;
  BasicNumbers(BasicNumbers&& other) noexcept { *this = std::move(other); }
  BasicNumbers& operator=(BasicNumbers&& other) noexcept;

  size_t size() const;
  // The device that has them, whether or not the host does, too; null: the host alone, or nobody yet.
  DeviceMemory* device() const { return (fresh() & on_device) != 0 ? device_.memory() : nullptr; }

  const std::vector<T>& host() const {
    if ((fresh() & on_host) == 0) [[unlikely]]
      bring_to_host();
    return host_;
  }
  // Those of the device are stale from here on. May be made longer or shorter.
  std::vector<T>& host_to_write() {
    host();
    fresh_.store(on_host, std::memory_order_relaxed);
    return host_;
  }

  const T* on(DeviceMemory& memory) const {
    if ((fresh() & on_device) == 0 || device_.memory() != &memory) [[unlikely]]
      bring_to(memory);
    return device_.data();
  }
  // Those of the host are stale from here on.
  T* to_write_on(DeviceMemory& memory) {
    on(memory);
    fresh_.store(on_device, std::memory_order_relaxed);
    return device_.data();
  }

  // n numbers that have no values yet: nothing is copied to where they are asked for next, which is to write them.
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

  mutable std::vector<T> host_;
  mutable DeviceArray<T> device_;
  size_t renewed_ = 0;                            // how many, where they are nowhere
  mutable std::atomic<uint8_t> fresh_ = on_host;  // the sides that have them
};

using Numbers = BasicNumbers<float>;
using Integers = BasicNumbers<int32_t>;

extern template class BasicNumbers<float>;
extern template class BasicNumbers<int32_t>;

}  // namespace espalier
