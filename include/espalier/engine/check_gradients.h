// check_gradients: compares the gradients of a model with finite differences of its loss in double, for a user's tests.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include <espalier/engine/engine.h>
#include <espalier/param/parameters.h>

namespace espalier {

struct CheckGradientsOptions {
  std::string parameters = "*";  // a glob of names
  size_t elements = 20;          // random elements per parameter; in a lookup table, of rows with a gradient; 0: all
  // |gradient - slope| ≤ tolerance · max(|slope|, the parameter's largest gradient) + rounding. The rounding of floats
  // is the larger of 2^-20 of the model's largest gradient and 2^-22 of the loss.
  double tolerance = 1e-4;
  Device device = Device::cpu();  // computes the gradients; Device::ref() always computes the differences
};

struct GradientDifference {
  std::string parameter;
  size_t element = 0;
  double gradient = 0, slope = 0;
};

struct GradientCheck {
  size_t checked = 0;
  size_t skipped = 0;                     // elements at a kink: the left and right slopes differ
  std::vector<GradientDifference> wrong;  // largest difference first
  bool ok() const { return checked > 0 && wrong.empty(); }
  // "120 elements checked, 3 skipped at kinks, 2 wrong; out.weight[3]: the gradient is 0.5, the slope 0.25"
  ESPALIER_API std::string text() const;
};

// `loss` must record the same loss in each graph that it is given. The graphs are of Mode::train, and dropout draws the
// same numbers in each. Parameters are changed to take the differences, and have their old values when this returns or
// throws. If gradient and slope differ, smaller steps are tried, to get away from a nearby kink (relu near 0). If they
// still differ and the left and right slopes differ too, the element is at a kink and is skipped. O(elements · cost of
// the loss).
ESPALIER_API GradientCheck check_gradients(Parameters& params, const std::function<Expr(Graph&)>& loss,
                                           const CheckGradientsOptions& options = {});

}  // namespace espalier
