// attention(query, keys, values): in a cell, over the rows of a list argument; elsewhere, over two lists of rows.
#pragma once
#include <espalier/expr/expr.h>

#include "python/src/value/object.h"

namespace espalier::python {

Expr attention_over(Expr query, PyObject* keys, PyObject* values);

}  // namespace espalier::python
