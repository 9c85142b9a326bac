// Minibatches, and the module `data`: readers and synthetic data.
#include "python/src/data/data.h"

#include <pybind11/stl.h>
#include <espalier/train/minibatches.h>

#include "python/src/bindings.h"

namespace py = pybind11;

namespace espalier::python {

void add_data(py::module_& m) {
  m.def("minibatches", [](size_t examples, size_t batch, uint64_t seed, uint64_t epoch) {
    py::list all;
    for (const Minibatch& b : train::minibatches(examples, batch, seed, epoch)) all.append(py::cast(b.ids));
    return all;
  });
  py::module_ data = m.def_submodule("data");
  py::class_<Examples>(data, "Examples")
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__", [](Examples& e) {
        py::object example = e.next();
        if (!example) throw py::stop_iteration();
        return example;
      });
  add_vocabulary(data);
  add_trees(data);
  add_sentences(data);
  add_expressions(data);
  add_synthetic(data);
}

}  // namespace espalier::python
