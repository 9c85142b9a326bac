// The Python type Cell: a Python function of rows, traced once and called as a function of rows.
#pragma once
#include "python/src/value/object.h"

namespace espalier::python {

void add_cell_type(PyObject* module);

}  // namespace espalier::python
