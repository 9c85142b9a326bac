// Python objects as JSON values, and back.
#pragma once
#include <nlohmann/json.hpp>

#include "python/src/value/object.h"

namespace espalier::python {

// None, bool, int, float, str, list, tuple, dict with string keys, and NumPy arrays and scalars. DataError with the
// path
// ("$.atoms[3]: ...") for anything else, and for values nested deeper than 1,000 levels.
nlohmann::json to_json(PyObject* object);
// A new reference.
PyObject* to_python(const nlohmann::json& value);

}  // namespace espalier::python
