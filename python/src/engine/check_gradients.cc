// check_gradients for losses recorded by Python functions.
#include <espalier/engine/check_gradients.h>

#include <pybind11/stl.h>
#include <espalier/expr/functions.h>

#include "python/src/bindings.h"
#include "python/src/cell/results.h"
#include "python/src/engine/current.h"
#include "python/src/engine/options.h"
#include "python/src/engine/record.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"
#include "python/src/train/group.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

// The loss that the function records: an Expr, or the sum of those in its result.
Expr recorded(PyObject* function, Graph& graph) {
  Recording recording;
  const Entered entered({&graph, nullptr, &recording});
  const Ref result = Ref::steal(checked(PyObject_CallNoArgs(function)));
  std::vector<Expr> losses;
  collect_exprs(result.get(), losses);
  if (losses.empty())
    throw_type_error("check_gradients: the function returned " + type_of(result.get()) +
                     "; it must return an Expr, or several");
  return losses.size() == 1 ? losses[0] : sum(losses, Where{});
}

GradientCheck check(const py::list& parameters, const py::object& function, const std::string& pattern, size_t elements,
                    double tolerance, const std::string& device) {
  Group group(parameters);
  const CheckGradientsOptions options{pattern, elements, tolerance, to_device(device, "check_gradients")};
  Unlocked unlocked;
  return check_gradients(
      group.all(),
      [&](Graph& graph) {
        const Locked locked(unlocked);
        return recorded(function.ptr(), graph);
      },
      options);
}

}  // namespace

void add_check_gradients(py::module_& m) {
  m.def("check_gradients", [](const py::list& parameters, const py::object& function, const std::string& pattern,
                              size_t elements, double tolerance, const std::string& device) {
    const GradientCheck result = check(parameters, function, pattern, elements, tolerance, device);
    py::list wrong;
    for (const GradientDifference& d : result.wrong)
      wrong.append(py::make_tuple(d.parameter, d.element, d.gradient, d.slope));
    return py::make_tuple(result.checked, result.skipped, wrong, result.text());
  });
}

}  // namespace espalier::python
