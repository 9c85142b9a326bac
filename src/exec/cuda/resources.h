// Resources that the parts of one CUDA executor share: its stream, row arena and upload buffer, and the counters and
// times of its launches.
#pragma once
#include "exec/cuda/device.h"
#include "exec/cuda/memory/arena.h"
#include "exec/cuda/memory/cuda_memory.h"
#include "exec/cuda/memory/upload.h"
#include "exec/cuda/times.h"

namespace espalier {

class CudaStream {
 public:
  explicit CudaStream(const CudaDevice& device);
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

struct CudaResources {
  // Launches are counted in `stats`.
  CudaResources(int index, KernelStats& stats);

  CudaDevice& device;
  CudaMemory& memory;  // of parameters and gradients, with the main stream
  CudaStream stream;   // of all launches of the executor
  CudaTimes times;
  CudaArena arena;
  CudaUpload upload;
  KernelStats& stats;
  CellTimes* cells = nullptr;  // null unless the executor is timed

  // Times the launches until the result is destroyed.
  [[nodiscard]] CudaTimes::Group time(KernelStats::Kind kind) { return {times, kind, stream}; }
  // Credits launches to cells, or to the gradient of a parameter, until the result is destroyed.
  [[nodiscard]] CudaTimes::Entry credit(std::span<const PlanStep> steps) {
    return {times, cells != nullptr ? &cells->of(steps) : nullptr, stats};
  }
  [[nodiscard]] CudaTimes::Entry credit(const detail::ParameterStorage& parameter, uint64_t rows) {
    return {times, cells != nullptr ? &cells->of(parameter, rows) : nullptr, stats};
  }
};

// RAII: on destruction, makes the main stream wait for all launches so far, also after an exception.
class MainStreamFollows {
 public:
  explicit MainStreamFollows(CudaResources& resources) : resources_(resources) {}
  MainStreamFollows(const MainStreamFollows&) = delete;
  MainStreamFollows& operator=(const MainStreamFollows&) = delete;
  ~MainStreamFollows();

 private:
  CudaResources& resources_;
};

}  // namespace espalier
