// Python results that hold Exprs: Expr, State, and tuples, lists, dicts and dataclasses of them.
#pragma once
#include <functional>
#include <vector>

#include <espalier/expr/expr.h>
#include "python/src/value/object.h"

namespace espalier::python {

// Appends the Exprs of a result, in order. Other objects hold none.
void collect_exprs(PyObject* result, std::vector<Expr>& into);

// The same structure with replace(expr) in place of each Expr, in the order of collect_exprs. A State becomes what
// state(h, c) returns. Parts without Exprs are shared.
struct Replacement {
  std::function<Ref(Expr)> expr;
  std::function<Ref(Ref h, Ref c)> state;
};
Ref with_replaced(PyObject* result, const Replacement& by);

}  // namespace espalier::python
