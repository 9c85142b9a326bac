#include "python/src/value/parameter.h"

#include <structmember.h>

#include <cmath>
#include <new>

#include "param/parameter_storage.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"
#include "python/src/value/init.h"
#include "python/src/value/tensor.h"

namespace espalier::python {
namespace {

Parameter& self_of(PyObject* object) { return reinterpret_cast<ParameterObject*>(object)->parameter; }

// Runs f, and turns exceptions into Python's.
template <class F>
PyObject* guarded(F&& f) {
  try {
    return f();
  } catch (...) {
    return set_error();
  }
}

PyObject* make_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"shape", "init", "sparse", nullptr};
  PyObject *shape = nullptr, *how = Py_None;
  int sparse = 0;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "O|O$p:Parameter", const_cast<char**>(names), &shape, &how,
                                  &sparse) == 0)
    return nullptr;
  return guarded([&]() -> PyObject* {
    const Shape s = to_shape(shape, {"Parameter", "shape"});
    Parameter made;
    if (sparse != 0) {
      if (s.rank < 1) throw ShapeError("Parameter: a sparse one is a table of rows; its shape must have an axis");
      made = Lookup::make(s[0], Shape::of(s.begin() + 1, s.rank - 1),
                          how == Py_None ? init::normal(0, 0.1f) : to_init(how));
    } else {
      made = Parameter::make(s, how == Py_None ? init::glorot() : to_init(how));
    }
    auto* const object = reinterpret_cast<ParameterObject*>(checked(type->tp_alloc(type, 0)));
    new (&object->parameter) Parameter(std::move(made));
    return reinterpret_cast<PyObject*>(object);
  });
}

void dealloc(PyObject* object) {
  auto* const p = reinterpret_cast<ParameterObject*>(object);
  if (p->weak_references != nullptr) PyObject_ClearWeakRefs(object);
  p->parameter.~Parameter();
  Py_TYPE(object)->tp_free(object);
}

PyObject* name(PyObject* object, void*) {
  return guarded([&] { return PyUnicode_FromString(self_of(object).name().c_str()); });
}
PyObject* shape(PyObject* object, void*) {
  const Shape s = self_of(object).shape();
  PyObject* const tuple = PyTuple_New(s.rank);
  for (int axis = 0; tuple != nullptr && axis < s.rank; ++axis) PyTuple_SET_ITEM(tuple, axis, PyLong_FromLong(s[axis]));
  return tuple;
}
PyObject* drawn(PyObject* object, void*) { return PyBool_FromLong(self_of(object).drawn() ? 1 : 0); }
PyObject* requires_grad(PyObject* object, void*) { return PyBool_FromLong(self_of(object).frozen() ? 0 : 1); }
int set_requires_grad(PyObject* object, PyObject* value, void*) {
  if (value == nullptr) {
    PyErr_SetString(PyExc_AttributeError, "requires_grad cannot be deleted");
    return -1;
  }
  const int on = PyObject_IsTrue(value);
  if (on < 0) return -1;
  self_of(object).freeze(on == 0);
  return 0;
}

PyObject* tensor(PyObject* object, PyObject*) {
  return guarded([&] {
    Tensor value;
    {
      const Unlocked unlocked;  // the values may have to be drawn, or copied from a GPU
      value = self_of(object).value();
    }
    return checked(new_tensor(std::move(value)));
  });
}
PyObject* numpy(PyObject* object, PyObject*) {
  const Ref made = Ref::steal(tensor(object, nullptr));
  return made ? as_array(made.get()) : nullptr;
}
// __array__(dtype=None, copy=None): numpy.asarray(parameter).
PyObject* array(PyObject* object, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject *type = Py_None, *copy = Py_None;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "|OO:__array__", const_cast<char**>(names), &type, &copy) == 0)
    return nullptr;
  Ref made = Ref::steal(numpy(object, nullptr));
  if (!made || type == Py_None) return made.release();
  return PyObject_CallMethod(made.get(), "astype", "(O)", type);
}

PyObject* assign(PyObject* object, PyObject* value) {
  return guarded([&]() -> PyObject* {
    Parameter& p = self_of(object);
    Floats numbers;
    const Ref other = is_parameter(value) ? Ref::steal(checked(tensor(value, nullptr))) : Ref::share(value);
    read_floats(other.get(), {"assign", "the value"}, numbers);
    p.assign(Tensor(numbers.shape, {numbers.data, numbers.data + numbers.size()}));
    Py_RETURN_NONE;
  });
}
PyObject* initialize(PyObject* object, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"seed", nullptr};
  unsigned long long seed = 0;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "|K:initialize", const_cast<char**>(names), &seed) == 0)
    return nullptr;
  return guarded([&]() -> PyObject* {
    self_of(object).initialize(seed);
    Py_RETURN_NONE;
  });
}
PyObject* rename(PyObject* object, PyObject* text) {
  return guarded([&]() -> PyObject* {
    self_of(object).rename(to_string(text, {"rename", "the name"}));
    Py_RETURN_NONE;
  });
}
// Whether it belongs to a module of the library, which names it.
PyObject* in_group(PyObject* object, PyObject*) {
  return PyBool_FromLong(self_of(object).storage()->owner.expired() ? 0 : 1);
}
PyObject* identity(PyObject* object, PyObject*) { return PyLong_FromVoidPtr(self_of(object).storage().get()); }

PyObject* repr(PyObject* object) {
  return guarded([&] {
    const Parameter& p = self_of(object);
    const std::string full = p.name();
    return PyUnicode_FromFormat("Parameter(%s%s%s)", full.c_str(), full.empty() ? "" : " ", str(p.shape()).c_str());
  });
}

PyMethodDef methods[] = {
    {"tensor", tensor, METH_NOARGS, "tensor($self)\n--\n\nA copy of the values, which later updates do not change."},
    {"numpy", numpy, METH_NOARGS, "numpy($self)\n--\n\nThe same as a read-only NumPy array."},
    {"__array__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(array)), METH_VARARGS | METH_KEYWORDS,
     nullptr},
    {"assign", assign, METH_O, "assign($self, value, /)\n--\n\nSets the values; the shapes must be equal."},
    {"initialize", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(initialize)),
     METH_VARARGS | METH_KEYWORDS, "initialize($self, seed=0)\n--\n\nDraws the values, keyed by seed and name."},
    {"_rename", rename, METH_O, nullptr},
    {"_in_group", in_group, METH_NOARGS, nullptr},
    {"_identity", identity, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {
    {"name", name, nullptr, "The full name; empty until it is an attribute of a Module.", nullptr},
    {"shape", shape, nullptr, "The size of each axis.", nullptr},
    {"drawn", drawn, nullptr, "Whether it has values: drawn, assigned or loaded.", nullptr},
    {"requires_grad", requires_grad, set_requires_grad, "False freezes it: it gets no gradient.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

PyTypeObject parameter_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* new_parameter(Parameter parameter) {
  auto* const made = reinterpret_cast<ParameterObject*>(parameter_type.tp_alloc(&parameter_type, 0));
  if (made != nullptr) new (&made->parameter) Parameter(std::move(parameter));
  return reinterpret_cast<PyObject*>(made);
}

void add_parameter_type(PyObject* module) {
  PyTypeObject& t = parameter_type;
  t.tp_name = "espalier.Parameter";
  t.tp_basicsize = sizeof(ParameterObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT;
  t.tp_doc =
      "Parameter(shape, init=None, *, sparse=False): learned numbers, named by the attribute that holds them. Values "
      "are drawn by initialize(seed=...) or at the first use. sparse: a table whose rows are updated only when read.";
  t.tp_weaklistoffset = offsetof(ParameterObject, weak_references);
  t.tp_dealloc = dealloc;
  t.tp_repr = repr;
  t.tp_as_number = &row_operators;
  t.tp_methods = methods;
  t.tp_getset = properties;
  t.tp_new = make_new;
  if (PyType_Ready(&t) < 0) throw_python();
  // NumPy leaves array * parameter to Parameter; by its values, the product would have no gradient.
  if (PyDict_SetItemString(t.tp_dict, "__array_ufunc__", Py_None) < 0) throw_python();
  Py_INCREF(&t);
  if (PyModule_AddObject(module, "Parameter", reinterpret_cast<PyObject*>(&t)) < 0) throw_python();
}

}  // namespace espalier::python
