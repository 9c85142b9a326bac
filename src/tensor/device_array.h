// An owning array in device memory. Its elements are uninitialised.
#pragma once
#include <utility>

#include "tensor/device_memory.h"

namespace espalier {

template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(DeviceMemory& memory, size_t n) { resize(memory, n); }
  DeviceArray(DeviceArray&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    DeviceArray taken(std::move(other));
    std::swap(memory_, taken.memory_);
    std::swap(data_, taken.data_);
    std::swap(size_, taken.size_);
    std::swap(capacity_, taken.capacity_);
    return *this;
  }
  ~DeviceArray() {
    if (data_ != nullptr) memory_->release(data_, capacity_ * sizeof(T));
  }

  DeviceMemory* memory() const { return memory_; }  // null: not allocated yet
  T* data() const { return data_; }
  size_t size() const { return size_; }

  // Contents are lost if the array grows or moves to another device. Shrinking keeps the allocation.
  T* resize(DeviceMemory& memory, size_t n) {
    if (memory_ != &memory || capacity_ < n) {
      *this = DeviceArray();  // release first: both may not fit
      if (n > 0) data_ = static_cast<T*>(memory.allocate(n * sizeof(T)));
      memory_ = &memory;
      capacity_ = n;
    }
    size_ = n;
    return data_;
  }

 private:
  DeviceMemory* memory_ = nullptr;
  T* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace espalier
