#include "exec/executor.h"

#include "base/check.h"
#include "exec/cpu/backend.h"
#include "exec/cpu/simd_limit.h"
#include "exec/host_executor.h"
#include "exec/null/null.h"
#include "exec/ref/backend.h"

namespace espalier {

struct SharedByExecutors {
  std::shared_ptr<WeightCopies> weights = std::make_shared<WeightCopies>();
};
std::shared_ptr<SharedByExecutors> make_shared_by_executors() { return std::make_shared<SharedByExecutors>(); }

std::unique_ptr<Executor> make_executor(Device device, Precision precision, std::shared_ptr<SharedByExecutors> shared) {
  limit_simd();  // optimisers use SIMD code on the host for every device
  if (device.kind == Device::Kind::cuda) return make_cuda_executor(device.index, precision);
  if (precision != Precision::f32 && device.kind != Device::Kind::ref)
    throw DeviceError("engine: tf32 and bf16 are for CUDA devices; " + str(device) + " computes in f32");
  switch (device.kind) {
    case Device::Kind::cpu:
      if (!shared) shared = make_shared_by_executors();
      return std::make_unique<HostExecutor<CpuBackend>>(CpuBackend(shared->weights));
    case Device::Kind::ref:
      return std::make_unique<HostExecutor<RefBackend>>(RefBackend(precision));
    case Device::Kind::null:
      return std::make_unique<NullExecutor>();
    case Device::Kind::cuda:
      break;
  }
  internal_error("a device of a known kind", Where::here(__FILE__, __LINE__));
}

}  // namespace espalier
