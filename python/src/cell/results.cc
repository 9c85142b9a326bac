#include "python/src/cell/results.h"

#include "python/src/errors.h"
#include "python/src/value/expr.h"

namespace espalier::python {
namespace {

PyObject* dataclass_fields_name() {
  static PyObject* const name = PyUnicode_InternFromString("__dataclass_fields__");
  return name;
}

// The names of the fields of a dataclass instance; empty for other objects. Types of Python itself are no dataclasses.
// A ClassVar or InitVar is no field.
std::vector<Ref> fields_of(PyObject* object) {
  std::vector<Ref> names;
  if ((Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0 || PyType_Check(object)) return names;
  const Ref fields =
      Ref::steal(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(object)), dataclass_fields_name()));
  if (!fields) {
    PyErr_Clear();
    return names;
  }
  PyObject *name = nullptr, *field = nullptr;
  static PyObject* const kind_name = PyUnicode_InternFromString("_field_type");
  static PyObject* const ordinary =  // what Field._field_type is for others than ClassVar and InitVar
      checked(PyObject_GetAttrString(Ref::steal(checked(PyImport_ImportModule("dataclasses"))).get(), "_FIELD"));
  for (Py_ssize_t at = 0; PyDict_Next(fields.get(), &at, &name, &field) != 0;) {
    const Ref kind = Ref::steal(checked(PyObject_GetAttr(field, kind_name)));
    if (kind.get() == ordinary) names.push_back(Ref::share(name));
  }
  return names;
}

// Recursion follows the user's own structure; Python's limit protects the stack.
class Recursion {
 public:
  Recursion() {
    if (Py_EnterRecursiveCall(" in a result") != 0) throw_python();
  }
  Recursion(const Recursion&) = delete;
  Recursion& operator=(const Recursion&) = delete;
  ~Recursion() { Py_LeaveRecursiveCall(); }
};

}  // namespace

void collect_exprs(PyObject* result, std::vector<Expr>& into) {
  if (is_expr(result)) return into.push_back(expr_in(result));
  if (is_state(result)) {
    into.push_back(state_in(result).h);
    into.push_back(state_in(result).c);
    return;
  }
  if (PyTuple_Check(result) || PyList_Check(result)) {
    const Recursion depth;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(result); ++i)
      collect_exprs(PySequence_Fast_GET_ITEM(result, i), into);
  } else if (PyDict_Check(result)) {
    const Recursion depth;
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(result, &at, &key, &value) != 0;) collect_exprs(value, into);
  } else {
    for (const Ref& name : fields_of(result)) {
      const Recursion depth;
      const Ref value = Ref::steal(checked(PyObject_GetAttr(result, name.get())));
      collect_exprs(value.get(), into);
    }
  }
}

Ref with_replaced(PyObject* result, const Replacement& by) {
  if (is_expr(result)) return by.expr(expr_in(result));
  if (is_state(result)) {
    Ref h = by.expr(state_in(result).h);
    Ref c = by.expr(state_in(result).c);
    return by.state(std::move(h), std::move(c));
  }
  if (PyTuple_Check(result) || PyList_Check(result)) {
    const Recursion depth;
    if (!PyTuple_CheckExact(result) && !PyList_CheckExact(result)) {  // os.stat_result, for example
      std::vector<Expr> exprs;
      collect_exprs(result, exprs);
      if (exprs.empty()) return Ref::share(result);
    }
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(result);
    const bool is_tuple = PyTuple_Check(result);
    Ref all = Ref::steal(checked(is_tuple ? PyTuple_New(n) : PyList_New(n)));
    for (Py_ssize_t i = 0; i < n; ++i) {
      Ref one = with_replaced(PySequence_Fast_GET_ITEM(result, i), by);
      if (is_tuple)
        PyTuple_SET_ITEM(all.get(), i, one.release());
      else
        PyList_SET_ITEM(all.get(), i, one.release());
    }
    if (!is_tuple || PyTuple_CheckExact(result)) return all;
    // A named tuple: made of its fields. Other subclasses become tuples.
    if (PyObject_HasAttrString(result, "_make") == 0) return all;
    return Ref::steal(
        checked(PyObject_CallMethod(reinterpret_cast<PyObject*>(Py_TYPE(result)), "_make", "(O)", all.get())));
  }
  if (PyDict_Check(result)) {
    const Recursion depth;
    Ref all = Ref::steal(checked(PyDict_New()));
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(result, &at, &key, &value) != 0;) {
      const Ref one = with_replaced(value, by);
      if (PyDict_SetItem(all.get(), key, one.get()) < 0) throw_python();
    }
    return all;
  }
  std::vector<Expr> exprs;
  const std::vector<Ref> names = fields_of(result);
  if (!names.empty()) collect_exprs(result, exprs);
  if (exprs.empty()) return Ref::share(result);
  const Recursion depth;
  const Ref copy = Ref::steal(checked(PyImport_ImportModule("copy")));
  Ref made = Ref::steal(checked(PyObject_CallMethod(copy.get(), "copy", "O", result)));
  for (const Ref& name : names) {
    const Ref value = Ref::steal(checked(PyObject_GetAttr(result, name.get())));
    const Ref one = with_replaced(value.get(), by);
    // A frozen dataclass refuses setattr.
    if (PyObject_GenericSetAttr(made.get(), name.get(), one.get()) < 0) throw_python();
  }
  return made;
}

}  // namespace espalier::python
