// Stands in for exec/cuda where the library is built without it.
#include "exec/executor.h"

namespace espalier {

namespace {
std::string missing(int device) {
  return "device " + str(Device::cuda(device)) + ": this build of espalier has no CUDA; use Device::cpu()";
}
}  // namespace

std::unique_ptr<Executor> make_cuda_executor(int device, Precision) { throw DeviceError(missing(device)); }

std::string why_no_cuda() { return missing(0); }

std::vector<std::string> cuda_devices() { return {}; }

}  // namespace espalier
