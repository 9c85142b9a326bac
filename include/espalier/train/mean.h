// Mean: the weighted mean of the values of an epoch.
#pragma once

#include <limits>

#include <espalier/param/gradients.h>

namespace espalier::train {

class Mean {
 public:
  // `weight` is the number of examples that the value is a mean of.
  void add(double value, double weight = 1) {
    sum_ += value * weight;
    weight_ += weight;
  }

  void add(const Scalar& value, double weight = 1) { add(static_cast<double>(value.get()), weight); }

  // NaN before the first add(): 0 would look like a perfect loss.
  double get() const { return weight_ == 0 ? std::numeric_limits<double>::quiet_NaN() : sum_ / weight_; }

  double weight() const { return weight_; }
  void clear() { sum_ = weight_ = 0; }

 private:
  double sum_ = 0, weight_ = 0;
};

}  // namespace espalier::train
