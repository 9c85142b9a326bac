// The memory of one GPU that Numbers live in, and its main stream.
#pragma once
#include <atomic>
#include <mutex>
#include <vector>

#include <cuda_runtime_api.h>

#include "exec/cuda/times.h"
#include "tensor/device_array.h"

namespace espalier {

// What goes to the device in the order of a stream, although the host's memory may be reused at once: it is copied
// through pinned memory, of which one half is filled while the other is read. A plain copy would wait for the stream.
class Staging {
 public:
  void send(const void* from, size_t bytes, void* to, cudaStream_t stream);

 private:
  static constexpr size_t half = size_t{1} << 22;  // bytes

  char* memory_ = nullptr;  // two halves
  cudaEvent_t read_[2] = {};
  int filling_ = 0;
  size_t filled_ = 0;
};

class CudaMemory final : public DeviceMemory {
 public:
  static CudaMemory& of(int index);  // made when first asked for; never destroyed

  Device device() const override { return Device::cuda(index_); }
  void* stream() const override;  // what is put there comes after all that it was to follow

  // Streams beside the main one, which several may use at once: what they read was asked for before precede(), and what
  // they write is theirs until follow().
  void precede(cudaStream_t other);  // what `other` is given from now on comes after all that was asked for so far
  void follow(cudaStream_t other);   // what is asked for from now on comes after all that `other` was given so far

  // Work on numbers, put into the main stream until it ends: counted, and timed where somebody wants to know.
  [[nodiscard]] CudaTimes::Group update();
  CudaTimes times;
  uint64_t take_launches() { return launches_.exchange(0); }  // since it was last asked
  uint64_t take_peak();                                       // the most bytes of numbers, since it was last asked

  void* allocate(size_t bytes) override;
  void release(void* memory, size_t bytes) noexcept override;
  void upload(const void* from, size_t bytes, void* to) override;
  void download(const void* from, size_t bytes, void* to) override;
  void copy(const float* from, size_t n, float* to) override;
  void fill(float* to, size_t n, float value) override;
  void add(std::span<const Sum> sums) override;
  void scale(std::span<const std::span<float>> all, float factor) override;
  void sum_of_squares(std::span<const std::span<const float>> all, double* sum) override;
  void clip_norm(std::span<const std::span<float>> all, float limit) override;
  void add_rows(const float* from, const int32_t* rows, size_t n, size_t width, float* to) override;
  void merge_rows(const float* a, const float* b, std::span<const RowPair> pairs, size_t width, float* to) override;

 private:
  explicit CudaMemory(int index);
  void use() const;     // by the calling thread
  void settle() const;  // before the main stream is given work

  int index_;
  cudaStream_t stream_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
  std::atomic<uint64_t> launches_ = 0;
  // The main stream waits for others when it is next used, not before: else others would wait for each other.
  mutable std::mutex meeting_;
  struct Followed {
    cudaStream_t stream;
    cudaEvent_t event;
  };
  mutable std::vector<Followed> followed_;  // one of a stream: the last one
  mutable std::vector<cudaEvent_t> free_;
  mutable std::atomic<bool> follows_ = false;
  std::mutex sending_;
  Staging staging_;
};

}  // namespace espalier
