// Minibatches and readers of data.
#include <espalier/train/minibatches.h>

#include <pybind11/stl.h>

#include "bindings.h"

namespace py = pybind11;

namespace espalier::python {

void add_data(py::module_& m) {
  m.def("minibatches", [](size_t examples, size_t batch, uint64_t seed, uint64_t epoch) {
    py::list all;
    for (const Minibatch& b : train::minibatches(examples, batch, seed, epoch)) all.append(py::cast(b.ids));
    return all;
  });
}

}  // namespace espalier::python
