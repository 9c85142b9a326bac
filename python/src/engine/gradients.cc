// espalier._core.Gradients and Scalar.
#include <espalier/param/gradients.h>

#include <pybind11/stl.h>

#include "python/src/bindings.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"
#include "python/src/value/parameter.h"
#include "python/src/value/tensor.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

float get(const Scalar& s) {
  const Unlocked unlocked;  // a GPU may still be computing it
  return s.get();
}

py::object gradient_of(const Gradients& g, const py::handle& of) {
  Tensor t;
  if (is_parameter(of.ptr()))
    t = g.of(parameter_in(of.ptr()));
  else if (is_expr(of.ptr()))
    t = g.of(expr_in(of.ptr()));
  else
    throw_type_error("of: " + type_of(of.ptr()) + " is given; a Parameter or a watched Expr is needed");
  return py::reinterpret_steal<py::object>(checked(new_tensor(std::move(t))));
}

}  // namespace

void add_gradients(py::module_& m) {
  py::class_<Scalar>(m, "Scalar", "A number that a GPU may still be computing; item() waits for it.")
      .def("item", &get)
      .def("__float__", &get)
      .def("__format__",
           [](const Scalar& s, const py::object& how) { return py::float_(get(s)).attr("__format__")(how); })
      .def("__add__", [](const Scalar& s, double x) { return static_cast<double>(get(s)) + x; })
      .def("__radd__", [](const Scalar& s, double x) { return x + static_cast<double>(get(s)); })
      .def("__mul__", [](const Scalar& s, double x) { return static_cast<double>(get(s)) * x; })
      .def("__rmul__", [](const Scalar& s, double x) { return x * static_cast<double>(get(s)); })
      .def("__truediv__", [](const Scalar& s, double x) { return static_cast<double>(get(s)) / x; })
      .def("__repr__", [](const Scalar& s) { return "Scalar(" + std::string(py::str(py::float_(get(s)))) + ")"; });
  py::class_<Gradients>(m, "Gradients")
      .def_property_readonly("loss", &Gradients::loss)
      .def("of", &gradient_of, py::arg("parameter"))
      .def("norm",
           [](const Gradients& g) {
             const Unlocked unlocked;
             return g.norm();
           })
      .def(
          "clip_norm",
          [](Gradients& g, float limit) {
            const Unlocked unlocked;
            g.clip_norm(limit);
          },
          py::arg("limit"))
      .def("add",
           [](Gradients& g, Gradients& other) {
             const Unlocked unlocked;
             g += std::move(other);
           })
      .def("scale", [](Gradients& g, float factor) {
        const Unlocked unlocked;
        g *= factor;
      });
}

}  // namespace espalier::python
