// The row memory of a GPU: a reserved range of addresses that grows without moving, unlike the host arena
// (base/arena.h).
#pragma once
#include <cstddef>
#include <vector>

#include "exec/cuda/device.h"

namespace espalier {

class CudaArena {
 public:
  explicit CudaArena(const CudaDevice& device);  // reserves addresses only
  CudaArena(const CudaArena&) = delete;
  CudaArena& operator=(const CudaArena&) = delete;
  ~CudaArena();

  // Makes the first `bytes` bytes usable. DeviceError states what was requested and what is free; the present memory
  // stays usable.
  void grow(size_t bytes);

  float* base() const { return reinterpret_cast<float*>(base_); }
  size_t committed() const { return committed_; }
  size_t growths() const { return pieces_.size(); }

 private:
  struct Piece {
    CUmemGenericAllocationHandle handle;
    size_t offset, bytes;
  };
  bool add(size_t bytes);

  const CudaDevice& device_;
  CUdeviceptr base_ = 0;
  size_t reserved_ = 0, committed_ = 0, granularity_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace espalier
