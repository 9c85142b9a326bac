// The memory of mirrored buffers on one GPU, and the main stream of that GPU.
#pragma once
#include <atomic>
#include <mutex>
#include <vector>

#include <cuda_runtime_api.h>

#include "exec/cuda/times.h"
#include "tensor/device_array.h"

namespace espalier {

// Copies to the device in stream order; the source may be reused at once. The data goes through pinned memory: one half
// is filled while the other is read. A plain copy would wait for the stream.
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
  static CudaMemory& of(int index);  // created on first use; never destroyed

  Device device() const override { return Device::cuda(index_); }
  void* stream() const override;  // the main stream; it first waits for all streams passed to follow()

  // Order the work of the main stream and of another stream, from any thread. `other` may read results of the main
  // stream after precede(other); the main stream may use results of `other` after follow(other).
  void precede(cudaStream_t other);  // later work of `other` waits for all work of the main stream so far
  void follow(cudaStream_t other);   // later work of the main stream waits for all work of `other` so far

  // RAII: counts, and if wanted times, the work that is enqueued in the main stream in this scope.
  [[nodiscard]] CudaTimes::Group update();
  CudaTimes times;
  uint64_t take_launches() { return launches_.exchange(0); }  // since the last call
  uint64_t take_peak();                                       // peak bytes since the last call

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
  void use() const;     // makes it the current device of the calling thread
  void settle() const;  // enqueues the waits of follow(); call before work is enqueued in the main stream

  int index_;
  cudaStream_t stream_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
  std::atomic<uint64_t> launches_ = 0;
  // The waits of follow() are enqueued only when the main stream is next used; otherwise precede() would make the other
  // streams wait for each other.
  mutable std::mutex meeting_;
  struct Followed {
    cudaStream_t stream;
    cudaEvent_t event;
  };
  mutable std::vector<Followed> followed_;  // the last event per stream
  mutable std::vector<cudaEvent_t> free_;
  mutable std::atomic<bool> follows_ = false;
  std::mutex sending_;
  Staging staging_;
};

}  // namespace espalier
