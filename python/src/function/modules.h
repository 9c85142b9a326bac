// The modules of espalier::nn. A constructor returns what the Python classes are made of.
#pragma once
#include "python/src/value/object.h"

namespace espalier::python {

// Adds one constructor for each module to the dict `_core.modules`: constructor(…) -> (prefix, [(name, Parameter)],
// {method: function}). `prefix` sets the prefix of all names; the method "" is the call of the module itself.
void add_modules(PyObject* module);

}  // namespace espalier::python
