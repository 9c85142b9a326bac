// The memory of one device, as components see it that know no device: what they need done to numbers there. All of it
// happens in order, on the device's main stream; only download waits. Whoever reads on another stream asks for all he
// needs first, and then lets that stream wait for the main one. One per device, and it outlives all that is kept in it.
// Several threads may call it; what one of them asks for happens in the order it asked.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <espalier/tensor/tensor.h>

namespace espalier {

class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  virtual Device device() const = 0;                // of kind cpu: memory that the host can reach as well
  virtual void* stream() const { return nullptr; }  // a cudaStream_t, on cuda

  // Aligned to 64 bytes. DeviceError: there is none left.
  virtual void* allocate(size_t bytes) = 0;
  virtual void release(void* memory, size_t bytes) noexcept = 0;  // after what was asked for before

  virtual void upload(const void* from, size_t bytes, void* to) = 0;    // `from` may be reused on return
  virtual void download(const void* from, size_t bytes, void* to) = 0;  // waits

  // Below all pointers are to the device's memory, but spans themselves are the host's and may be reused on return. Any
  // of them may be of no numbers.
  virtual void copy(const float* from, size_t n, float* to) = 0;
  virtual void fill(float* to, size_t n, float value) = 0;

  struct Sum {
    float* to;
    const float* from;
    size_t n;
  };
  virtual void add(std::span<const Sum> sums) = 0;  // to += from, in each
  virtual void scale(std::span<const std::span<float>> all, float factor) = 0;
  virtual void sum_of_squares(std::span<const std::span<const float>> all, double* sum) = 0;
  // Scales all so that their norm together is at most `limit` (clip_factor in clip.h).
  virtual void clip_norm(std::span<const std::span<float>> all, float limit) = 0;

  // Row rows[i] of `to` += row i of `from`, for i < n. Rows are distinct.
  virtual void add_rows(const float* from, const int32_t* rows, size_t n, size_t width, float* to) = 0;
  struct RowPair {
    int32_t a, b;  // -1: none
  };
  // Row i of `to` = row pairs[i].a of a + row pairs[i].b of b. `to` is neither a nor b.
  virtual void merge_rows(const float* a, const float* b, std::span<const RowPair> pairs, size_t width, float* to) = 0;
};

}  // namespace espalier
