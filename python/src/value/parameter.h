// The Python type Parameter.
#pragma once
#include <espalier/param/parameters.h>
#include "python/src/value/object.h"

namespace espalier::python {

struct ParameterObject {
  PyObject_HEAD PyObject* weak_references;
  Parameter parameter;
};

extern PyTypeObject parameter_type;

inline bool is_parameter(PyObject* object) { return PyObject_TypeCheck(object, &parameter_type) != 0; }
inline const Parameter& parameter_in(PyObject* object) { return reinterpret_cast<ParameterObject*>(object)->parameter; }
PyObject* new_parameter(Parameter parameter);

void add_parameter_type(PyObject* module);

}  // namespace espalier::python
