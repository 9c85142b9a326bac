#include "exec/cuda/memory/arena.h"

#include <algorithm>

#include <espalier/tensor/tensor.h>
#include "exec/cuda/check.h"

namespace espalier {
namespace {

CUmemAllocationProp properties_of(const CudaDevice& device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device.index};
  return properties;
}

constexpr size_t addressable = size_t{33} << 30;  // row references reach 32 GiB

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

}  // namespace

CudaArena::CudaArena(const CudaDevice& device) : device_(device) {
  const CudaDriver& driver = cuda_driver();
  const CUmemAllocationProp properties = properties_of(device);
  driver.check(driver.cuMemGetAllocationGranularity(&granularity_, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
               "granularity of memory");
  reserved_ = round_up(addressable, granularity_);
  driver.check(driver.cuMemAddressReserve(&base_, reserved_, 0, 0, 0), "reserving addresses");
}

CudaArena::~CudaArena() {
  const CudaDriver& driver = cuda_driver();
  for (const Piece& p : pieces_) {
    driver.cuMemUnmap(base_ + p.offset, p.bytes);
    driver.cuMemRelease(p.handle);
  }
  driver.cuMemAddressFree(base_, reserved_);
}

bool CudaArena::add(size_t bytes) {
  const CudaDriver& driver = cuda_driver();
  const CUmemAllocationProp properties = properties_of(device_);
  Piece piece{0, committed_, bytes};
  const CUresult answer = driver.cuMemCreate(&piece.handle, bytes, &properties, 0);
  if (answer == CUDA_ERROR_OUT_OF_MEMORY) return false;
  driver.check(answer, "memory for rows");
  const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUresult mapped = driver.cuMemMap(base_ + piece.offset, bytes, 0, piece.handle, 0);
  if (mapped == CUDA_SUCCESS) {
    mapped = driver.cuMemSetAccess(base_ + piece.offset, bytes, &access, 1);
    if (mapped != CUDA_SUCCESS) driver.cuMemUnmap(base_ + piece.offset, bytes);
  }
  if (mapped != CUDA_SUCCESS) {
    driver.cuMemRelease(piece.handle);
    driver.check(mapped, "mapping memory for rows");
  }
  pieces_.push_back(piece);
  committed_ += bytes;
  return true;
}

void CudaArena::grow(size_t bytes) {
  if (bytes <= committed_) return;
  if (bytes > reserved_)
    throw DeviceError(str(Device::cuda(device_.index)) + ": the plan needs " + amount(bytes) + " of rows, and " +
                      amount(reserved_) + " can be addressed; make the minibatch smaller");
  // Adds an eighth if possible: after a few minibatches of similar size the arena no longer grows.
  const size_t wanted = std::min(round_up(bytes + bytes / 8, granularity_), reserved_) - committed_;
  const size_t needed = round_up(bytes - committed_, granularity_);
  if (add(wanted) || add(needed)) return;
  give_back_unused();
  if (add(needed)) return;
  throw DeviceError(str(Device::cuda(device_.index)) + ": the plan needs " + amount(bytes) + " of rows, " +
                    amount(needed) + " more than allocated, and " + free_memory() + "; make the minibatch smaller");
}

}  // namespace espalier
