// The parts of the module that pybind11 binds; expr.h, function.h and cell.h bind the rest by hand, because they run
// for every call that is recorded.
#pragma once
#include <pybind11/pybind11.h>

namespace espalier::python {

void add_engine(pybind11::module_& module);
void add_batch(pybind11::module_& module);
void add_example(pybind11::module_& module);
void add_gradients(pybind11::module_& module);
void add_check_gradients(pybind11::module_& module);
void add_dry_run(pybind11::module_& module);
void add_optimizers(pybind11::module_& module);
void add_files(pybind11::module_& module);
void add_recorded(pybind11::module_& module);
void add_data(pybind11::module_& module);
void add_json(pybind11::module_& module);

}  // namespace espalier::python
