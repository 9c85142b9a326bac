#include "bench/limit.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <oneapi/dnnl/dnnl.h>

#include "base/workers.h"
#include "exec/cpu/product/product.h"
#include "exec/executor.h"

namespace espalier::app::bench {
namespace {

class CpuLimit final : public ProductLimit {
 public:
  explicit CpuLimit(int threads) : of_thread_(static_cast<size_t>(threads)) {
    constexpr size_t elements = size_t{size} * size;
    for (Matrices& m : of_thread_)
      m = {std::vector<float>(elements, 0.5f), std::vector<float>(elements, 0.25f), std::vector<float>(elements)};
  }

  void sample() override {
    const auto multiply = [&](size_t thread) {
      const SingleThread single;
      Matrices& m = of_thread_[thread];
      dnnl_sgemm('N', 'N', size, size, size, 1, m.a.data(), size, m.b.data(), size, 0, m.c.data(), size);
    };
    for (int r = 0; r < repeats; ++r) {
      const auto start = std::chrono::steady_clock::now();
      workers_.run(of_thread_.size(), multiply);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      best_ = std::max(best_, static_cast<double>(of_thread_.size()) * 2 * size * size * size / seconds);
    }
  }

 private:
  static constexpr int size = 1024, repeats = 4;

  struct Matrices {
    std::vector<float> a, b, c;
  };
  std::vector<Matrices> of_thread_;
  Workers workers_;
};

class CudaLimit final : public ProductLimit {
 public:
  CudaLimit(int device, Precision precision) : device_(device), precision_(precision) {}
  void sample() override { best_ = std::max(best_, cuda_product_rate(device_, precision_)); }

 private:
  int device_;
  Precision precision_;
};

}  // namespace

std::unique_ptr<ProductLimit> ProductLimit::of(const EngineOptions& engine) {
  if (engine.device.kind == Device::Kind::cuda)
    return std::make_unique<CudaLimit>(engine.device.index, engine.precision);
  return std::make_unique<CpuLimit>(engine.threads);
}

}  // namespace espalier::app::bench
