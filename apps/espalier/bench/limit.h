// ProductLimit: what this machine can do, for the roofline.
#pragma once
#include <vector>

#include "base/workers.h"

namespace espalier::app::bench {

// The best rate of a large product of floats, on as many threads as the measured work has, each with a product of its
// own: threads of the engine share no product either. Sampled between the windows of a measurement, so that both meet
// the same neighbours on the machine.
class ProductLimit {
 public:
  explicit ProductLimit(int threads);
  void sample();
  double flops_per_s() const { return best_; }

 private:
  struct Matrices {
    std::vector<float> a, b, c;
  };
  std::vector<Matrices> of_thread_;
  Workers workers_;
  double best_ = 0;
};

}  // namespace espalier::app::bench
