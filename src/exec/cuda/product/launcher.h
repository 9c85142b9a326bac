// Products of a plan as calls of cuBLASLt, with bf16 factors where the precision asks for them, and with a bias that
// cuBLASLt adds (gpu/epilogue.h).
#pragma once
#include <optional>
#include <unordered_map>

#include "exec/cuda/bf16/copy.h"
#include "exec/cuda/product/product.h"
#include "exec/cuda/resources.h"
#include "exec/gpu/epilogue.h"
#include "exec/plan_view.h"

namespace espalier {

class ProductLauncher {
 public:
  ProductLauncher(CudaResources& resources, Bf16Copy& bf16, Precision precision)
      : resources_(resources), bf16_(bf16), products_(resources.device, precision, resources.stream) {}

  // Linear, LinearTransposed and Matmul.
  void launch(const OpLaunch<float>& launch);
  // A product together with the fused kernel after it; false if cuBLASLt cannot do that.
  bool launch_with_epilogue(const DeviceStepRows& rows, const Kernel& product, const Kernel& fused);
  // Any product. in_bf16: the factors have a rounded copy (gpu/bf16/factors.h), which is used if alignment permits.
  void multiply(Product& product, bool in_bf16);

 private:
  void linear(const OpLaunch<float>& launch, bool transposed);
  void matmul(const OpLaunch<float>& launch);

  CudaResources& resources_;
  Bf16Copy& bf16_;
  CudaProducts products_;
  struct Found {
    const Kernel* product = nullptr;
    std::optional<Epilogue> epilogue;
  };
  std::unordered_map<uint64_t, Found> epilogues_;  // by serial number of the fused kernel
};

}  // namespace espalier
