// The values of a parameter, with a version that every writable access increments: results computed with an older
// version are out of date.
#pragma once
#include <atomic>
#include <vector>

#include "tensor/mirrored_buffer.h"

namespace espalier::detail {

// The most recent version of any parameter in the process.
inline std::atomic<uint64_t> latest_parameter_version{0};

class ParameterValues {
 public:
  size_t size() const { return numbers_.size(); }
  DeviceMemory* device() const { return numbers_.device(); }
  const std::vector<float>& host() const { return numbers_.host(); }
  const float* on(DeviceMemory& memory) const { return numbers_.on(memory); }

  // The version is incremented here, at the access, not at the write: finish writing before the next run of a graph.
  std::vector<float>& host_to_write() {
    change();
    return numbers_.host_to_write();
  }
  float* to_write_on(DeviceMemory& memory) {
    change();
    return numbers_.to_write_on(memory);
  }

  // Larger than the version of every parameter changed before this one.
  uint64_t version() const { return version_.load(std::memory_order_relaxed); }

 private:
  // Atomic: the threads of an optimiser share a parameter.
  void change() {
    version_.store(latest_parameter_version.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  MirroredFloats numbers_;
  std::atomic<uint64_t> version_{0};
};

}  // namespace espalier::detail
