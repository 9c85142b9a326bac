// Initial values of parameters: espalier.init.glorot() and so on.
#pragma once
#include <espalier/param/parameter.h>
#include "python/src/value/object.h"

namespace espalier::python {

// What a function of espalier.init returned, or an array or number. Throws a PythonError (TypeError) otherwise.
Init to_init(PyObject* object);

void add_init(PyObject* module);  // the functions, as attributes of `module`

}  // namespace espalier::python
