// Launches ops: products by cuBLASLt, user-defined ops on the host, all others by their work items (op/functions.h).
#pragma once
#include <vector>

#include "exec/cuda/launch/uploaded_plan.h"
#include "exec/cuda/product/launcher.h"
#include "exec/cuda/resources.h"

namespace espalier {

class OpLauncher {
 public:
  OpLauncher(CudaResources& resources, ProductLauncher& products) : resources_(resources), products_(products) {}

  void launch(const DeviceStepRows& rows, const UploadedPlan& plan, const Kernel& kernel, bool train);

 private:
  void on_host(const OpLaunch<float>& launch);

  CudaResources& resources_;
  ProductLauncher& products_;
  std::vector<Rows<const float>> in_;
};

}  // namespace espalier
