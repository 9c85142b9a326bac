#include "exec/cuda/resources.h"

namespace espalier {

CudaStream::CudaStream(const CudaDevice& device) {
  device.use();
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
}

CudaResources::CudaResources(int index, KernelStats& counters)
    : device(CudaDevice::open(index)),
      memory(CudaMemory::of(index)),
      stream(device),
      arena(device),
      upload(stream),
      stats(counters) {}

MainStreamFollows::~MainStreamFollows() {
  try {
    resources_.memory.follow(resources_.stream);
  } catch (const DeviceError&) {  // the device is lost
  }
}

}  // namespace espalier
