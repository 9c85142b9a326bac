// The Python types Expr and State. Both hold handles of 16 bytes and own nothing else.
#pragma once
#include <espalier/expr/expr.h>
#include <espalier/nn/recurrent/recurrent.h>
#include "python/src/value/object.h"

namespace espalier::python {

struct ExprObject {
  PyObject_HEAD Expr expr;
};
// The hidden state and the memory cell of a recurrent module.
struct StateObject {
  PyObject_HEAD nn::State state;
};

// State(n): the description of an argument of a cell.
struct StateSpecObject {
  PyObject_HEAD int size;
};

extern PyNumberMethods row_operators;  // of Expr and Parameter; set by add_expr_types
extern PyTypeObject expr_type, state_type, state_spec_type;

PyObject* new_expr(Expr expr);                // a new reference, or null with an exception
PyObject* new_state(const nn::State& state);  // the same

inline bool is_expr(PyObject* object) { return Py_TYPE(object) == &expr_type; }
inline bool is_state(PyObject* object) { return Py_TYPE(object) == &state_type; }
inline Expr expr_in(PyObject* object) { return reinterpret_cast<ExprObject*>(object)->expr; }
inline const nn::State& state_in(PyObject* object) { return reinterpret_cast<StateObject*>(object)->state; }

void add_expr_types(PyObject* module);

}  // namespace espalier::python
