// ProductLimit: what this machine can do, for the roofline.
#pragma once
#include <memory>

#include <espalier/espalier.h>

namespace espalier::app::bench {

// The best rate of a large product, in the precision of the measured work. On the CPU: on as many threads as it has,
// each with a product of its own, for threads of the engine share no product either. On a GPU: by the code that
// multiplies for the engine. Sampled between the windows of a measurement, so that both meet the same neighbours on
// the machine.
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
