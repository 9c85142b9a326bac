// espalier._core: the C++ part of the package.
#include <pybind11/stl.h>
#include <espalier/base/version.h>

#include "python/src/bindings.h"
#include "python/src/cell/cell.h"
#include "python/src/errors.h"
#include "python/src/function/function.h"
#include "python/src/function/functions.h"
#include "python/src/function/module_base.h"
#include "python/src/function/modules.h"
#include "python/src/value/expr.h"
#include "python/src/value/init.h"
#include "python/src/value/parameter.h"
#include "python/src/value/tensor.h"

namespace py = pybind11;

PYBIND11_MODULE(_core, m) {
  using namespace espalier::python;
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const espalier::Error&) {
      set_error(error);
    } catch (const PythonError&) {
      set_error(error);
    }
  });
  try {
    add_errors(m.ptr());
    add_expr_types(m.ptr());
    add_tensor_type(m.ptr());
    add_parameter_type(m.ptr());
    add_function_type(m.ptr());
    add_cell_type(m.ptr());
    add_module_base(m.ptr());
    py::module_ functions = m.def_submodule("functions");
    add_functions(functions.ptr());
    py::module_ init = m.def_submodule("init");
    add_init(init.ptr());
    add_modules(m.ptr());
    add_dry_run(m);
    add_batch(m);
    add_example(m);
    add_engine(m);
    add_gradients(m);
    add_check_gradients(m);
    add_optimizers(m);
    add_files(m);
    add_recorded(m);
    add_data(m);
    add_json(m);  // after data: it uses its type of iterators
  } catch (const PythonError& e) {
    e.restore();
    throw py::error_already_set();
  }
  m.def("set_package_folder", &set_package_folder);
  m.def("user_line", &user_line);
  m.attr("version") = espalier::version();
}
