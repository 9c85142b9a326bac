#include "tensor/mirrored_buffer.h"

#include <mutex>

namespace espalier {
namespace {

// Several readers may find the same side stale. One global mutex is enough: a copy waits for the device anyway.
std::mutex copying;

}  // namespace

template <class T>
MirroredBuffer<T>& MirroredBuffer<T>::operator=(MirroredBuffer&& other) noexcept {
  host_ = std::move(other.host_);
  device_ = std::move(other.device_);
  renewed_ = other.renewed_;
  fresh_.store(other.fresh(), std::memory_order_relaxed);
  other.host_.clear();
  other.fresh_.store(on_host, std::memory_order_relaxed);
  return *this;
}

template <class T>
size_t MirroredBuffer<T>::size() const {
  const uint8_t where = fresh();
  return (where & on_host) != 0 ? host_.size() : (where & on_device) != 0 ? device_.size() : renewed_;
}

template <class T>
void MirroredBuffer<T>::bring_to_host() const {
  const std::lock_guard lock(copying);
  const uint8_t where = fresh();
  if ((where & on_host) != 0) return;  // another thread has copied it
  if ((where & on_device) == 0) {
    host_.resize(renewed_);
  } else {
    host_.resize(device_.size());
    if (!host_.empty()) device_.memory()->download(device_.data(), host_.size() * sizeof(T), host_.data());
  }
  fresh_.store(where | on_host, std::memory_order_release);
}

template <class T>
void MirroredBuffer<T>::bring_to(DeviceMemory& memory) const {
  if ((fresh() & on_device) != 0 && device_.memory() != &memory) host();  // copies from another device to the host
  const std::lock_guard lock(copying);
  const uint8_t where = fresh();
  if ((where & on_device) != 0 && device_.memory() == &memory) return;
  const bool values = (where & on_host) != 0;
  // A concurrent reader uses the host copy or waits for the mutex.
  fresh_.store(where & on_host, std::memory_order_relaxed);
  device_.resize(memory, values ? host_.size() : renewed_);
  if (values && !host_.empty()) memory.upload(host_.data(), host_.size() * sizeof(T), device_.data());
  fresh_.store(static_cast<uint8_t>((where & on_host) | on_device), std::memory_order_release);
}

template class MirroredBuffer<float>;
template class MirroredBuffer<int32_t>;

}  // namespace espalier
