// Abstract interface to the memory of one device and basic arithmetic on it, for device-independent components.
// Operations run in order on the device's main stream; only download blocks. Before another stream reads results, issue
// all operations that produce them, then make that stream wait for the main one. There is one object per device; it
// outlives all allocations. Thread-safe; operations of one thread run in the order of its calls.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <espalier/tensor/tensor.h>

namespace espalier {

class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  virtual Device device() const = 0;                // kind cpu: memory that the host can also access
  virtual void* stream() const { return nullptr; }  // a cudaStream_t on CUDA

  // Aligned to 64 bytes. Throws DeviceError if out of memory.
  virtual void* allocate(size_t bytes) = 0;
  virtual void release(void* memory, size_t bytes) noexcept = 0;  // takes effect after all earlier operations

  virtual void upload(const void* from, size_t bytes, void* to) = 0;    // `from` may be reused on return
  virtual void download(const void* from, size_t bytes, void* to) = 0;  // blocks

  // In the functions below, data pointers are device pointers. The spans themselves are in host memory and may be
  // reused on return. All sizes may be 0.
  virtual void copy(const float* from, size_t n, float* to) = 0;
  virtual void fill(float* to, size_t n, float value) = 0;

  struct Sum {
    float* to;
    const float* from;
    size_t n;
  };
  virtual void add(std::span<const Sum> sums) = 0;  // to += from, for each
  virtual void scale(std::span<const std::span<float>> all, float factor) = 0;
  virtual void sum_of_squares(std::span<const std::span<const float>> all, double* sum) = 0;
  // Scales all arrays so that their joint norm is at most `limit` (clip_factor in clip.h).
  virtual void clip_norm(std::span<const std::span<float>> all, float limit) = 0;

  // Row rows[i] of `to` += row i of `from`, for i < n. Row indices are distinct.
  virtual void add_rows(const float* from, const int32_t* rows, size_t n, size_t width, float* to) = 0;
  struct RowPair {
    int32_t a, b;  // row indices; -1: no row, which adds nothing
  };
  // Row i of `to` = row pairs[i].a of a + row pairs[i].b of b. `to` must not overlap a or b.
  virtual void merge_rows(const float* a, const float* b, std::span<const RowPair> pairs, size_t width, float* to) = 0;
};

}  // namespace espalier
