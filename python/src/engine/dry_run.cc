// espalier._core.DryRun: how a graph would run, as objects with attributes.
#include <espalier/engine/dry_run.h>

#include <pybind11/stl.h>

#include "python/src/bindings.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

py::tuple sizes_of(const Shape& shape) {
  py::tuple sizes(static_cast<size_t>(shape.rank));
  for (int axis = 0; axis < shape.rank; ++axis) sizes[static_cast<size_t>(axis)] = shape[axis];
  return sizes;
}

}  // namespace

void add_dry_run(py::module_& m) {
  py::class_<DryRun> run(m, "DryRun");
  py::class_<DryRun::Cell>(run, "Cell")
      .def_readonly("name", &DryRun::Cell::name)
      .def_readonly("calls", &DryRun::Cell::calls)
      .def_readonly("steps", &DryRun::Cell::steps)
      .def_readonly("largest_step", &DryRun::Cell::largest_step)
      .def_readonly("alone", &DryRun::Cell::alone)
      .def_readonly("recomputed", &DryRun::Cell::recomputed)
      .def_readonly("wide", &DryRun::Cell::wide)
      .def_property_readonly("mean_step", &DryRun::Cell::mean_step);
  py::class_<DryRun::Input>(run, "Input")
      .def_readonly("gathered", &DryRun::Input::gathered)
      .def_readonly("list", &DryRun::Input::list)
      .def_readonly("rows", &DryRun::Input::rows);
  py::class_<DryRun::Step>(run, "Step")
      .def_readonly("cell", &DryRun::Step::cell)
      .def_readonly("calls", &DryRun::Step::calls)
      .def_readonly("inputs", &DryRun::Step::inputs)
      .def_readonly("hoisted", &DryRun::Step::hoisted);
  py::class_<DryRun::Gather>(run, "Gather")
      .def_readonly("cell", &DryRun::Gather::cell)
      .def_readonly("inputs", &DryRun::Gather::inputs)
      .def_property_readonly("shape", [](const DryRun::Gather& g) { return sizes_of(g.shape); })
      .def_readonly("rows", &DryRun::Gather::rows)
      .def_readonly("bytes", &DryRun::Gather::bytes)
      .def_readonly("why", &DryRun::Gather::why);
  py::class_<DryRun::Alone>(run, "Alone")
      .def_readonly("cell", &DryRun::Alone::cell)
      .def_readonly("why", &DryRun::Alone::why);
  run.def_readonly("graphs", &DryRun::graphs)
      .def_readonly("calls", &DryRun::calls)
      .def_readonly("shared_calls", &DryRun::shared_calls)
      .def_readonly("depth", &DryRun::depth)
      .def_readonly("fewest_steps", &DryRun::fewest_steps)
      .def_property_readonly("policy", [](const DryRun& d) { return std::string(name(d.policy)); })
      .def_readonly("how", &DryRun::how)
      .def_property_readonly("other_steps",
                             [](const DryRun& d) {
                               py::dict all;
                               for (const auto& [policy, steps] : d.other_steps)
                                 all[py::str(std::string(name(policy)))] = steps;
                               return all;
                             })
      .def_readonly("rows", &DryRun::rows)
      .def_readonly("row_bytes", &DryRun::row_bytes)
      .def_readonly("scratch_bytes", &DryRun::scratch_bytes)
      .def_readonly("gathered_bytes", &DryRun::gathered_bytes)
      .def_readonly("recomputed_calls", &DryRun::recomputed_calls)
      .def_readonly("recomputed_flops", &DryRun::recomputed_flops)
      .def_readonly("product_flops", &DryRun::product_flops)
      .def_readonly("cells", &DryRun::cells)
      .def_readonly("steps", &DryRun::steps)
      .def_readonly("gathers", &DryRun::gathers)
      .def_readonly("alone", &DryRun::alone)
      .def("text", &DryRun::text)
      .def("__str__", &DryRun::text)
      .def("__repr__", [](const DryRun& d) {
        return "<DryRun: " + std::to_string(d.calls) + " calls in " + std::to_string(d.steps.size()) + " steps>";
      });
}

}  // namespace espalier::python
