#include "exec/cuda/memory/cuda_memory.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "exec/cuda/check.h"
#include "exec/cuda/memory/arithmetic.h"

namespace espalier {

void Staging::send(const void* from, size_t bytes, void* to, cudaStream_t stream) {
  if (memory_ == nullptr) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, 2 * half), "pinned memory");
    memory_ = static_cast<char*>(memory);
    for (cudaEvent_t& event : read_) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "an event");
  }
  const char* next = static_cast<const char*>(from);
  char* place = static_cast<char*>(to);
  while (bytes > 0) {
    if (filled_ == half) {
      check(cudaEventRecord(read_[filling_], stream), "recording an event");
      filling_ = 1 - filling_;
      filled_ = 0;
      check(cudaEventSynchronize(read_[filling_]), "waiting for a copy");
    }
    const size_t n = std::min(bytes, half - filled_);
    char* const through = memory_ + static_cast<size_t>(filling_) * half + filled_;
    std::memcpy(through, next, n);
    check(cudaMemcpyAsync(place, through, n, cudaMemcpyHostToDevice, stream), "a copy to the device");
    filled_ += n;
    next += n;
    place += n;
    bytes -= n;
  }
}

CudaMemory& CudaMemory::of(int index) {
  static std::mutex mutex;
  static std::map<int, CudaMemory*> made;
  const std::lock_guard lock(mutex);
  CudaMemory*& memory = made[index];
  if (memory == nullptr) memory = new CudaMemory(index);
  return *memory;
}

CudaMemory::CudaMemory(int index) : index_(index) {
  use();
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "the main stream");
  // Released memory stays in the pool for later allocations, in stream order.
  check(cudaDeviceGetDefaultMemPool(&pool_, index_), "a pool of memory");
  uint64_t all = std::numeric_limits<uint64_t>::max();
  check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all), "a pool of memory");
}

CudaTimes::Group CudaMemory::update() {
  ++launches_;
  return {times, KernelStats::update, stream_};
}

uint64_t CudaMemory::take_peak() {
  uint64_t peak = 0, none = 0;
  check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &peak), "memory of parameters and gradients");
  check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &none), "memory of parameters and gradients");
  return peak;
}

void CudaMemory::use() const {
  check(cudaSetDevice(index_), "choosing the device");
  settle();
}

void CudaMemory::settle() const {
  if (!follows_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(meeting_);
  for (const Followed& f : followed_) {
    check(cudaStreamWaitEvent(stream_, f.event), "waiting for a stream");
    free_.push_back(f.event);
  }
  followed_.clear();
  follows_.store(false, std::memory_order_release);
}

void* CudaMemory::stream() const {
  settle();
  return stream_;
}

void CudaMemory::precede(cudaStream_t other) {
  const std::lock_guard lock(meeting_);
  if (free_.empty()) check(cudaEventCreateWithFlags(&free_.emplace_back(), cudaEventDisableTiming), "an event");
  check(cudaEventRecord(free_.back(), stream_), "recording an event");
  check(cudaStreamWaitEvent(other, free_.back()), "waiting for the main stream");
}

void CudaMemory::follow(cudaStream_t other) {
  const std::lock_guard lock(meeting_);
  auto it = std::find_if(followed_.begin(), followed_.end(), [&](const Followed& f) { return f.stream == other; });
  if (it == followed_.end()) {
    if (free_.empty()) check(cudaEventCreateWithFlags(&free_.emplace_back(), cudaEventDisableTiming), "an event");
    it = followed_.insert(it, {other, free_.back()});
    free_.pop_back();
  }
  check(cudaEventRecord(it->event, other), "recording an event");
  follows_.store(true, std::memory_order_release);
}

void* CudaMemory::allocate(size_t bytes) {
  use();
  void* memory = nullptr;
  cudaError_t answer = cudaMallocAsync(&memory, bytes, stream_);
  if (answer == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // or a later call would report it
    give_back_unused();
    answer = cudaMallocAsync(&memory, bytes, stream_);
  }
  if (answer == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw DeviceError("device " + str(device()) + ": " + amount(bytes) +
                      " are needed for parameters, gradients or an optimiser's state, and " + free_memory());
  }
  check(answer, "memory for parameters and gradients");
  return memory;
}
void CudaMemory::release(void* memory, size_t) noexcept {
  try {
    settle();
  } catch (const DeviceError&) {  // the device is lost, and the memory with it
  }
  cudaFreeAsync(memory, stream_);
}

void CudaMemory::upload(const void* from, size_t bytes, void* to) {
  use();
  const std::lock_guard lock(sending_);
  staging_.send(from, bytes, to, stream_);
}
void CudaMemory::download(const void* from, size_t bytes, void* to) {
  use();
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "a copy to the host");
  check(cudaStreamSynchronize(stream_), "waiting for the device");
}
void CudaMemory::copy(const float* from, size_t n, float* to) {
  use();
  const auto timed = update();
  check(cudaMemcpyAsync(to, from, n * sizeof(float), cudaMemcpyDeviceToDevice, stream_), "a copy");
}
void CudaMemory::fill(float* to, size_t n, float value) {
  use();
  const auto timed = update();
  if (value == 0)
    check(cudaMemsetAsync(to, 0, n * sizeof(float), stream_), "zeros");
  else
    cuda_fill(to, n, value, stream_);
}
void CudaMemory::add(std::span<const Sum> sums) {
  use();
  const auto timed = update();
  cuda_add(sums, stream_);
}
void CudaMemory::scale(std::span<const std::span<float>> all, float factor) {
  use();
  const auto timed = update();
  cuda_scale(all, factor, stream_);
}
void CudaMemory::sum_of_squares(std::span<const std::span<const float>> all, double* sum) {
  use();
  const DeviceArray<double> scratch(*this, sum_of_squares_scratch(all));
  const auto timed = update();
  cuda_sum_of_squares(all, scratch.data(), sum, stream_);
}
void CudaMemory::clip_norm(std::span<const std::span<float>> all, float limit) {
  const std::vector<std::span<const float>> read(all.begin(), all.end());
  const DeviceArray<double> squares(*this, 1);
  sum_of_squares(read, squares.data());
  const auto timed = update();
  cuda_clip(all, squares.data(), limit, stream_);
}
void CudaMemory::add_rows(const float* from, const int32_t* rows, size_t n, size_t width, float* to) {
  use();
  const auto timed = update();
  cuda_add_rows(from, rows, n, width, to, stream_);
}
void CudaMemory::merge_rows(const float* a, const float* b, std::span<const RowPair> pairs, size_t width, float* to) {
  const DeviceArray<RowPair> there(*this, pairs.size());
  upload(pairs.data(), pairs.size_bytes(), there.data());
  const auto timed = update();
  cuda_merge_rows(a, b, there.data(), pairs.size(), width, to, stream_);
}

}  // namespace espalier
