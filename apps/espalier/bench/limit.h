// ProductLimit: the peak rate of matrix products on this machine, for the roofline.
#pragma once
#include <memory>

#include <espalier/espalier.h>

namespace espalier::app::bench {

// The best rate of a large product, in the precision of the measured work. On the CPU: with the same number of threads,
// each computing a separate product, because the engine's threads do not share products either. On a GPU: with the
// engine's own product code. Sampled between the measurement windows, so that both see the same load on the machine.
class ProductLimit {
 public:
  static std::unique_ptr<ProductLimit> of(const EngineOptions& engine);
  virtual ~ProductLimit() = default;

  virtual void sample() = 0;
  double flops_per_s() const { return best_; }

 protected:
  double best_ = 0;
};

}  // namespace espalier::app::bench
