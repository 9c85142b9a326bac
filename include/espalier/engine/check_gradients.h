// For a user's tests: the gradients of a model against differences of its loss, both taken in double.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include <espalier/engine/engine.h>
#include <espalier/param/parameters.h>

namespace espalier {

struct CheckGradientsOptions {
  std::string parameters = "*";   // those whose names match
  size_t elements = 20;           // of each parameter, drawn, of a table from the rows with a gradient; 0: all of them
  double tolerance = 1e-4;        // |gradient - slope| ≤ tolerance · max(|slope|, the parameter's largest gradient)
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
  std::vector<GradientDifference> wrong;  // the worst first
  bool ok() const { return checked > 0 && wrong.empty(); }
  // "120 elements checked, 2 wrong; out.weight[3]: the gradient is 0.5, the slope 0.25"
  ESPALIER_API std::string text() const;
};

// `loss` records a model's loss in the graph that it is given, the same each time. Parameters are moved to take the
// differences, and stand as they were when this returns or throws. A kink (relu at 0) within a step shows as a wrong
// gradient: move the inputs. O(elements · cost of the loss).
ESPALIER_API GradientCheck check_gradients(Parameters& params, const std::function<Expr(Graph&)>& loss,
                                           const CheckGradientsOptions& options = {});

}  // namespace espalier
