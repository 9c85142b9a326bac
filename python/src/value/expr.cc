#include "python/src/value/expr.h"

#include <structmember.h>

#include <cmath>
#include <string>

#include <espalier/expr/functions.h>
#include "expr/record.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"
#include "python/src/value/parameter.h"
#include "python/src/value/tensor.h"

namespace espalier::python {
namespace {

FreeList<ExprObject> free_exprs;
FreeList<StateObject> free_states;

// Runs f, whose result is an Expr, and turns exceptions into Python's.
template <class F>
PyObject* guarded(F&& f) {
  try {
    return new_expr(f());
  } catch (...) {
    return set_error();
  }
}

// ---- operators

// Whether the other operand is for us to convert; others may define the reflected operator.
bool is_operand(PyObject* object) {
  return is_expr(object) || PyFloat_Check(object) || PyLong_Check(object) || PyObject_CheckBuffer(object) ||
         is_parameter(object) || PyList_Check(object);
}
template <class F>
PyObject* binary(PyObject* a, PyObject* b, std::string_view who, F f) {
  if (!is_operand(a) || !is_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&] {
    const Asked left{who, "the left operand"}, right{who, "the right operand"};
    if (is_expr(a) || is_expr(b)) return f(to_operand(a, left), to_operand(b, right));
    // A Parameter and a number, an array or a Parameter: the current graph is meant.
    if (is_parameter(a)) return f(Operand(to_expr(a, left), Where{}), to_operand(b, right));
    return f(to_operand(a, left), Operand(to_expr(b, right), Where{}));
  });
}
PyObject* add(PyObject* a, PyObject* b) {
  return binary(a, b, "+", [](const Operand& x, const Operand& y) { return x + y; });
}
PyObject* subtract(PyObject* a, PyObject* b) {
  return binary(a, b, "-", [](const Operand& x, const Operand& y) { return x - y; });
}
PyObject* multiply(PyObject* a, PyObject* b) {
  return binary(a, b, "*", [](const Operand& x, const Operand& y) { return x * y; });
}
PyObject* divide(PyObject* a, PyObject* b) {
  return binary(a, b, "/", [](const Operand& x, const Operand& y) { return x / y; });
}
PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary(a, b, "**", [](const Operand& x, const Operand& y) {
    if (x.kind == Operand::Kind::expr && y.kind == Operand::Kind::number && y.value == 2)
      return square(x.expr, Where{});
    return pow(x, y);
  });
}
PyObject* matrix_product(PyObject* a, PyObject* b) {
  return binary(a, b, "@", [](const Operand& x, const Operand& y) { return matmul(x, y, Where{}); });
}
PyObject* negative(PyObject* x) {
  return guarded([&] { return -Operand(to_expr(x, {"-", "the operand"}), Where{}); });
}
PyObject* positive(PyObject* x) {
  return guarded([&] { return to_expr(x, {"+", "the operand"}); });
}
PyObject* absolute(PyObject* x) {
  return guarded([&] { return abs(to_expr(x, {"abs", "the operand"}), Where{}); });
}
int truth(PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  ("an Expr has no value while it is recorded, so it is neither true nor false; in an async function, "
                   "await it" +
                   user_line())
                      .c_str());
  return -1;
}

// ---- x[1], x[2:4], x[:, 1:], x[i] with an index of a cell

Expr select(Expr x, int axis, PyObject* key) {
  const Shape shape = x.shape();
  if (axis >= shape.rank)
    throw espalier::IndexError("x[…]: axis " + std::to_string(axis) + " of " + str(shape) + " does not exist");
  if (PySlice_Check(key)) {
    Py_ssize_t begin = 0, end = 0, step = 0;
    if (PySlice_Unpack(key, &begin, &end, &step) < 0) throw_python();
    const Py_ssize_t n = PySlice_AdjustIndices(shape[axis], &begin, &end, step);
    if (step == 1) return slice(x, static_cast<int>(begin), static_cast<int>(begin + n), axis, Where{});
    const Py_ssize_t past = n == 0 ? begin : begin + (n - 1) * step + (step > 0 ? 1 : -1);
    return strided_slice(x, static_cast<int>(begin), static_cast<int>(past), static_cast<int>(step), axis, Where{});
  }
  Index index = to_index(key, {"x[…]", "the index"});
  if (!index.traced() && index.value() < 0) index = Index(index.value() + shape[axis]);
  return pick(x, index, axis, Where{});
}
PyObject* subscript(PyObject* object, PyObject* key) {
  return guarded([&] {
    Expr x = expr_in(object);
    if (!PyTuple_Check(key)) return select(x, 0, key);
    int axis = 0;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(key); ++k) {
      PyObject* const one = PyTuple_GET_ITEM(key, k);
      const bool whole = PySlice_Check(one) != 0 && reinterpret_cast<PySliceObject*>(one)->start == Py_None &&
                         reinterpret_cast<PySliceObject*>(one)->stop == Py_None &&
                         reinterpret_cast<PySliceObject*>(one)->step == Py_None;
      if (!whole || axis >= x.shape().rank) x = select(x, axis, one);
      if (PySlice_Check(one)) ++axis;
    }
    return x;
  });
}
Py_ssize_t length(PyObject* object) {
  try {
    const Shape shape = expr_in(object).shape();
    if (shape.rank > 0) return shape[0];
    PyErr_SetString(PyExc_TypeError, "a scalar Expr has no length");
  } catch (...) {
    set_error();
  }
  return -1;
}

// ---- attributes

PyObject* shape(PyObject* object, void*) {
  try {
    const Shape s = expr_in(object).shape();
    PyObject* const tuple = checked(PyTuple_New(s.rank));
    for (int axis = 0; axis < s.rank; ++axis) PyTuple_SET_ITEM(tuple, axis, PyLong_FromLong(s[axis]));
    return tuple;
  } catch (...) {
    return set_error();
  }
}
PyObject* ndim(PyObject* object, void*) {
  try {
    return PyLong_FromLong(expr_in(object).shape().rank);
  } catch (...) {
    return set_error();
  }
}
PyObject* expr_repr(PyObject* object) {
  const Expr x = expr_in(object);
  try {
    const char* const where = is_traced(x) ? " in a cell" : "";
    return PyUnicode_FromFormat("Expr(%s%s)", str(x.shape()).c_str(), where);
  } catch (const Error&) {
    return PyUnicode_FromString("Expr(stale)");
  }
}
PyObject* not_pickled(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "an Expr belongs to its graph and cannot be pickled or copied; read its value");
  return nullptr;
}

PyGetSetDef expr_properties[] = {{"shape", shape, nullptr, "The size of each axis; known while recording.", nullptr},
                                 {"ndim", ndim, nullptr, "The number of axes.", nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef expr_methods[] = {{"__reduce__", not_pickled, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyNumberMethods expr_numbers{};
PyMappingMethods expr_mapping{length, subscript, nullptr};

void free_expr(PyObject* object) { free_exprs.give_back(reinterpret_cast<ExprObject*>(object)); }

// ---- await x: yields the Expr until its value is computed

struct AwaitObject {
  PyObject_HEAD Expr expr;
};
PyObject* next_of_await(PyObject* object) {
  const Expr x = reinterpret_cast<AwaitObject*>(object)->expr;
  try {
    if (!x || is_traced(x)) throw GraphError("await: a value inside a cell has no number; await the cell's result");
    GraphTape& tape = graph_of(x, "await", {});
    const uint32_t value = recorded_value(tape, x, "await", {});
    const float* const at = tape.computed == nullptr ? nullptr : tape.computed->find(value);
    if (at == nullptr) return new_expr(x);
    const Shape s = tape.shape(value);
    const Ref tensor = Ref::steal(checked(new_tensor(Tensor(s, {at, at + s.size()}))));
    const Ref array = Ref::steal(checked(as_array(tensor.get())));
    const Ref stop = Ref::steal(checked(PyObject_CallOneArg(PyExc_StopIteration, array.get())));
    PyErr_SetObject(PyExc_StopIteration, stop.get());
    return nullptr;
  } catch (...) {
    return set_error();
  }
}
PyTypeObject await_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyObject* await(PyObject* object) {
  auto* const made = PyObject_New(AwaitObject, &await_type);
  if (made != nullptr) made->expr = expr_in(object);
  return reinterpret_cast<PyObject*>(made);
}
PyAsyncMethods expr_async{await, nullptr, nullptr, nullptr};

// ---- State

void free_state(PyObject* object) { free_states.give_back(reinterpret_cast<StateObject*>(object)); }
PyObject* state_h(PyObject* object, void*) { return new_expr(state_in(object).h); }
PyObject* state_c(PyObject* object, void*) { return new_expr(state_in(object).c); }
PyGetSetDef state_properties[] = {{"h", state_h, nullptr, "The hidden state.", nullptr},
                                  {"c", state_c, nullptr, "The memory cell.", nullptr},
                                  {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyObject* state_repr(PyObject* object) {
  const Ref h = Ref::steal(state_h(object, nullptr));
  const Ref text = h ? Ref::steal(expr_repr(h.get())) : Ref();
  return text ? PyUnicode_FromFormat("State(h=%U)", text.get()) : nullptr;
}
Py_ssize_t state_length(PyObject*) { return 2; }
PyObject* state_item(PyObject* object, Py_ssize_t i) {
  if (i == 0) return state_h(object, nullptr);
  if (i == 1) return state_c(object, nullptr);
  PyErr_SetString(PyExc_IndexError, "a State has two rows, h and c");
  return nullptr;
}
PySequenceMethods state_sequence{};

PyObject* make_state(PyTypeObject*, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"h", "c", nullptr};
  PyObject *h = nullptr, *c = nullptr;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "O|O:State", const_cast<char**>(names), &h, &c) == 0) return nullptr;
  try {
    if (c == nullptr && PyIndex_Check(h)) {
      auto* const spec = checked(PyObject_New(StateSpecObject, &state_spec_type));
      spec->size = to_int(h, {"State", "the size"});
      return reinterpret_cast<PyObject*>(spec);
    }
    if (c == nullptr) throw_type_error("State(h, c): c is missing; State(n) describes the argument of a cell");
    return new_state({to_expr(h, {"State", "h"}), to_expr(c, {"State", "c"})});
  } catch (...) {
    return set_error();
  }
}
PyObject* spec_repr(PyObject* object) {
  return PyUnicode_FromFormat("State(%d)", reinterpret_cast<StateSpecObject*>(object)->size);
}

void add_type(PyObject* module, const char* name, PyTypeObject& t) {
  if (PyType_Ready(&t) < 0) throw_python();
  Py_INCREF(&t);
  if (PyModule_AddObject(module, name, reinterpret_cast<PyObject*>(&t)) < 0) throw_python();
}

}  // namespace

PyNumberMethods row_operators{};
PyTypeObject expr_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject state_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject state_spec_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* new_expr(Expr expr) {
  ExprObject* const made = free_exprs.take(&expr_type);
  if (made != nullptr) made->expr = expr;
  return reinterpret_cast<PyObject*>(made);
}
PyObject* new_state(const nn::State& state) {
  StateObject* const made = free_states.take(&state_type);
  if (made != nullptr) made->state = state;
  return reinterpret_cast<PyObject*>(made);
}

void add_expr_types(PyObject* module) {
  row_operators.nb_add = add;
  row_operators.nb_subtract = subtract;
  row_operators.nb_multiply = multiply;
  row_operators.nb_true_divide = divide;
  row_operators.nb_power = power;
  row_operators.nb_matrix_multiply = matrix_product;
  row_operators.nb_negative = negative;
  row_operators.nb_positive = positive;
  row_operators.nb_absolute = absolute;
  expr_numbers = row_operators;
  expr_numbers.nb_bool = truth;
  expr_type.tp_name = "espalier.Expr";
  expr_type.tp_basicsize = sizeof(ExprObject);
  expr_type.tp_flags = Py_TPFLAGS_DEFAULT;
  expr_type.tp_doc = "A row that will be computed. It has a shape now, and a value after engine.infer or await.";
  expr_type.tp_dealloc = free_expr;
  expr_type.tp_repr = expr_repr;
  expr_type.tp_as_number = &expr_numbers;
  expr_type.tp_as_mapping = &expr_mapping;
  expr_type.tp_as_async = &expr_async;
  expr_type.tp_getset = expr_properties;
  expr_type.tp_methods = expr_methods;
  add_type(module, "Expr", expr_type);
  // NumPy leaves array + expr to Expr.
  if (PyDict_SetItemString(expr_type.tp_dict, "__array_ufunc__", Py_None) < 0) throw_python();

  await_type.tp_name = "espalier.Await";
  await_type.tp_basicsize = sizeof(AwaitObject);
  await_type.tp_flags = Py_TPFLAGS_DEFAULT;
  await_type.tp_dealloc = reinterpret_cast<destructor>(PyObject_Free);
  await_type.tp_iter = PyObject_SelfIter;
  await_type.tp_iternext = next_of_await;
  add_type(module, "Await", await_type);

  state_sequence.sq_length = state_length;
  state_sequence.sq_item = state_item;
  state_type.tp_name = "espalier.State";
  state_type.tp_basicsize = sizeof(StateObject);
  state_type.tp_flags = Py_TPFLAGS_DEFAULT;
  state_type.tp_doc =
      "State(h, c): the hidden state and memory cell of an LSTM. State(n): describes such an argument of a cell.";
  state_type.tp_dealloc = free_state;
  state_type.tp_repr = state_repr;
  state_type.tp_as_sequence = &state_sequence;
  state_type.tp_getset = state_properties;
  state_type.tp_methods = expr_methods;
  state_type.tp_new = make_state;
  add_type(module, "State", state_type);

  state_spec_type.tp_name = "espalier.StateSpec";
  state_spec_type.tp_basicsize = sizeof(StateSpecObject);
  state_spec_type.tp_flags = Py_TPFLAGS_DEFAULT;
  state_spec_type.tp_dealloc = reinterpret_cast<destructor>(PyObject_Free);
  state_spec_type.tp_repr = spec_repr;
  add_type(module, "StateSpec", state_spec_type);
}

}  // namespace espalier::python
