// The values of a parameter, with a version that every writable access increments: results computed with an older
// version are out of date. Values that were not drawn or assigned are drawn at the first access.
#pragma once
#include <atomic>
#include <span>
#include <vector>

#include "tensor/mirrored_buffer.h"

namespace espalier::detail {

struct ParameterStorage;

// The most recent version of any parameter in the process.
inline std::atomic<uint64_t> latest_parameter_version{0};

class ParameterValues {
 public:
  explicit ParameterValues(ParameterStorage& of) : of_(of) {}
  // Later values may have the same address; executors must not take copies of these for copies of those.
  ~ParameterValues() { latest_parameter_version.fetch_add(1, std::memory_order_relaxed); }
  ParameterValues(const ParameterValues&) = delete;
  ParameterValues& operator=(const ParameterValues&) = delete;

  bool drawn() const { return drawn_.load(std::memory_order_acquire); }
  DeviceMemory* device() const { return numbers_.device(); }

  // Any of these draws at the first access; several threads may be first. GraphError if the parameter has no name and
  // its values depend on the name. The version does not change, because nothing was computed with other values.
  const AlignedVector<float>& host() const {
    if (!drawn()) [[unlikely]]
      draw_first();
    return numbers_.host();
  }
  const float* on(DeviceMemory& memory) const {
    if (!drawn()) [[unlikely]]
      draw_first();
    return numbers_.on(memory);
  }

  // The version is incremented here, at the access, not at the write: finish writing before the next run of a graph.
  AlignedVector<float>& host_to_write() {
    host();
    change();
    return numbers_.host_to_write();
  }
  float* to_write_on(DeviceMemory& memory) {
    on(memory);
    change();
    return numbers_.to_write_on(memory);
  }

  void draw(uint64_t seed);                 // again, if they are drawn; values given by Init are kept
  void assign(std::span<const float> all);  // draws nothing
  void allocate();                          // everything in assign() that may throw

  // Larger than the version of every parameter changed before this one.
  uint64_t version() const { return version_.load(std::memory_order_relaxed); }

 private:
  // Atomic: the threads of an optimiser share a parameter.
  void change() {
    version_.store(latest_parameter_version.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void draw_first() const;
  void draw_now(uint64_t seed) const;
  void renew() const;

  ParameterStorage& of_;
  mutable MirroredFloats numbers_;
  mutable std::atomic<bool> drawn_{false};  // false: `numbers_` is empty or has no values
  std::atomic<uint64_t> version_{0};
};

}  // namespace espalier::detail
