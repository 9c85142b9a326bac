// Replaces exec/cuda in a build without CUDA.
#include "exec/executor.h"
#include "exec/profiler_range.h"

namespace espalier {

namespace {
std::string missing(int device) {
  return "device " + str(Device::cuda(device)) + ": this build of espalier has no CUDA; use device cpu";
}
}  // namespace

std::unique_ptr<Executor> make_cuda_executor(int device, Precision) { throw DeviceError(missing(device)); }

std::string why_no_cuda() { return missing(0); }

std::vector<std::string> cuda_devices() { return {}; }

std::string cuda_version() { return {}; }

double cuda_product_rate(int device, Precision) { throw DeviceError(missing(device)); }

void begin_profiler_range(const char*) {}
void end_profiler_range() {}

uint64_t take_cuda_peak_of_numbers(int device) { throw DeviceError(missing(device)); }

}  // namespace espalier
