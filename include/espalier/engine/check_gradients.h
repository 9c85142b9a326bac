// For a user's tests: the gradients of a model against differences of its loss, both taken in double.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include <espalier/engine/engine.h>
#include <espalier/param/parameters.h>

namespace espalier {

struct CheckGradientsOptions {
  std::string parameters = "*";  // those whose names match
  size_t elements = 20;          // of each parameter, drawn, of a table from the rows with a gradient; 0: all of them
  // |gradient - slope| ≤ tolerance · max(|slope|, the parameter's largest gradient), or less than what rounding leaves
  // of a gradient that is 0 in truth: 2^-20 of the model's largest gradient, 2^-22 of the loss
  double tolerance = 1e-4;
  Device device = Device::cpu();  // whose gradients are checked; the differences are always those of the reference
  uint64_t seed = 0;              // of the drawn elements, and of dropout
  Mode mode = Mode::train;        // dropout draws the same numbers in every run
};

struct GradientDifference {
  std::string parameter;
  size_t element = 0;
  double gradient = 0, slope = 0;
};

struct GradientCheck {
  size_t checked = 0;
  size_t skipped = 0;                     // elements that stand at a kink: left and right of them the slopes differ
  std::vector<GradientDifference> wrong;  // the worst first
  bool ok() const { return checked > 0 && wrong.empty(); }
  // "120 elements checked, 3 skipped at kinks, 2 wrong; out.weight[3]: the gradient is 0.5, the slope 0.25"
  ESPALIER_API std::string text() const;
};

// `loss` records a model's loss in the graph that it is given, the same each time. Parameters are moved to take the
// differences, and stand as they were when this returns or throws. Where gradient and slope differ, the step is made
// smaller, so that a kink nearby (relu near 0) is left behind; an element whose slopes to the left and to the right
// differ however small the step is stands at a kink, and is skipped. O(elements · cost of the loss).
ESPALIER_API GradientCheck check_gradients(Parameters& params, const std::function<Expr(Graph&)>& loss,
                                           const CheckGradientsOptions& options = {});

}  // namespace espalier
