// The functions of rows, as attributes of the module.
#pragma once
#include "python/src/value/object.h"

namespace espalier::python {

void add_functions(PyObject* module);

}  // namespace espalier::python
