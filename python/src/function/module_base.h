// The Python type ModuleBase, from which espalier.Module derives. Calling an instance whose class defines no __call__
// calls its function `_call` directly, without a Python frame.
#pragma once
#include "python/src/value/object.h"

namespace espalier::python {

void add_module_base(PyObject* module);

}  // namespace espalier::python
