#include "python/src/value/tensor.h"

#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include <espalier/base/error.h>
#include "python/src/errors.h"
#include "python/src/value/expr.h"
#include "python/src/value/parameter.h"

namespace espalier::python {
namespace {

TensorObject* self_of(PyObject* object) { return reinterpret_cast<TensorObject*>(object); }

Py_ssize_t count_of(const TensorObject& t) {
  Py_ssize_t n = 1;
  for (int axis = 0; axis < t.rank; ++axis) n *= t.sizes[axis];
  return n;
}

PyObject* make(std::span<const Py_ssize_t> sizes, std::shared_ptr<const void> owner, const float* data) {
  auto* const t = reinterpret_cast<TensorObject*>(tensor_type.tp_alloc(&tensor_type, 0));
  if (t == nullptr) return nullptr;
  new (&t->owner) std::shared_ptr<const void>(std::move(owner));
  t->data = data;
  t->rank = static_cast<int>(sizes.size());
  Py_ssize_t stride = sizeof(float);
  for (int axis = t->rank - 1; axis >= 0; --axis) {
    t->sizes[axis] = sizes[static_cast<size_t>(axis)];
    t->strides[axis] = stride;
    stride *= t->sizes[axis];
  }
  return reinterpret_cast<PyObject*>(t);
}

void dealloc(PyObject* object) {
  self_of(object)->owner.~shared_ptr();
  Py_TYPE(object)->tp_free(object);
}

int get_buffer(PyObject* object, Py_buffer* view, int flags) {
  TensorObject& t = *self_of(object);
  if ((flags & PyBUF_WRITABLE) != 0) {
    view->obj = nullptr;
    PyErr_SetString(PyExc_BufferError, "a Tensor is read-only; parameter.assign(array) writes");
    return -1;
  }
  static float none = 0;  // where a tensor without elements points to
  static char format[] = "f";
  view->obj = object;
  Py_INCREF(object);
  view->buf = const_cast<float*>(t.data == nullptr ? &none : t.data);
  view->len = count_of(t) * static_cast<Py_ssize_t>(sizeof(float));
  view->readonly = 1;
  view->itemsize = sizeof(float);
  view->format = (flags & PyBUF_FORMAT) != 0 ? format : nullptr;
  view->ndim = t.rank;
  view->shape = (flags & PyBUF_ND) != 0 ? t.sizes : nullptr;
  view->strides = (flags & PyBUF_STRIDES) != 0 ? t.strides : nullptr;
  view->suboffsets = nullptr;
  view->internal = nullptr;
  return 0;
}
PyBufferProcs buffer_procs{get_buffer, nullptr};

// ---- DLPack, version 0: the layout of its structs is fixed.
struct DLDevice {
  int32_t type, id;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor*);
};
struct Shared : DLManagedTensor {
  std::shared_ptr<const void> owner;
  std::vector<int64_t> sizes;
};
constexpr int32_t dl_cpu = 1;
constexpr uint8_t dl_float = 2;

PyObject* dlpack(PyObject* object, PyObject*, PyObject*) {
  const TensorObject& t = *self_of(object);
  auto* const shared = new Shared;
  shared->owner = t.owner;
  shared->sizes.assign(t.sizes, t.sizes + t.rank);
  shared->tensor = {const_cast<float*>(t.data), {dl_cpu, 0}, t.rank, {dl_float, 32, 1},
                    shared->sizes.data(),       nullptr,     0};
  shared->context = shared;
  shared->deleter = [](DLManagedTensor* m) { delete static_cast<Shared*>(m->context); };
  DLManagedTensor* const managed = shared;
  return PyCapsule_New(managed, "dltensor", [](PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;  // taken: renamed to used_dltensor
    auto* const m = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
    m->deleter(m);
  });
}
PyObject* dlpack_device(PyObject*, PyObject*) { return Py_BuildValue("(ii)", int{dl_cpu}, 0); }

PyObject* numpy(PyObject* object, PyObject*) { return as_array(object); }

PyObject* torch(PyObject* object, PyObject*) {
  const Ref module = Ref::steal(PyImport_ImportModule("torch"));
  if (!module) return nullptr;
  const Ref array = Ref::steal(as_array(object));
  if (!array) return nullptr;
  const Ref copy = Ref::steal(PyObject_CallMethod(array.get(), "copy", nullptr));  // torch has no read-only tensors
  return copy ? PyObject_CallMethod(module.get(), "from_numpy", "O", copy.get()) : nullptr;
}

PyObject* item(PyObject* object, PyObject*) {
  const TensorObject& t = *self_of(object);
  if (count_of(t) == 1) return PyFloat_FromDouble(static_cast<double>(*t.data));
  try {
    throw ShapeError("item: the tensor has " + std::to_string(count_of(t)) + " elements; it must have one");
  } catch (...) {
    return set_error();
  }
}

PyObject* to_float(PyObject* object) { return item(object, nullptr); }
PyObject* to_int(PyObject* object) {
  const Ref number = Ref::steal(item(object, nullptr));
  return number ? PyNumber_Long(number.get()) : nullptr;
}

// ---- operators: those of arrays

bool is_tensor(PyObject* object) { return Py_TYPE(object) == &tensor_type; }
// A Tensor as an array, and other objects as they are.
Ref operand(PyObject* object) { return is_tensor(object) ? Ref::steal(as_array(object)) : Ref::share(object); }
template <PyObject* (*f)(PyObject*, PyObject*)>
PyObject* binary(PyObject* a, PyObject* b) {
  if (is_expr(a) || is_expr(b) || is_parameter(a) || is_parameter(b)) Py_RETURN_NOTIMPLEMENTED;  // they record
  const Ref x = operand(a), y = x ? operand(b) : Ref();
  return y ? f(x.get(), y.get()) : nullptr;
}
template <PyObject* (*f)(PyObject*)>
PyObject* unary(PyObject* a) {
  const Ref x = operand(a);
  return x ? f(x.get()) : nullptr;
}
PyObject* power_of_arrays(PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); }
PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<power_of_arrays>(a, b);
}
int truth(PyObject* object) {
  const Ref array = operand(object);
  return array ? PyObject_IsTrue(array.get()) : -1;
}
PyObject* compare(PyObject* a, PyObject* b, int how) {
  const Ref x = operand(a), y = x ? operand(b) : Ref();
  return y ? PyObject_RichCompare(x.get(), y.get(), how) : nullptr;
}

PyObject* shape(PyObject* object, void*) {
  const TensorObject& t = *self_of(object);
  PyObject* const tuple = PyTuple_New(t.rank);
  for (int axis = 0; tuple != nullptr && axis < t.rank; ++axis)
    PyTuple_SET_ITEM(tuple, axis, PyLong_FromSsize_t(t.sizes[axis]));
  return tuple;
}
PyObject* ndim(PyObject* object, void*) { return PyLong_FromLong(self_of(object)->rank); }

PyObject* repr(PyObject* object) {
  const Ref array = Ref::steal(as_array(object));
  if (!array) return nullptr;
  const Ref text = Ref::steal(PyObject_Repr(array.get()));
  if (!text) return nullptr;
  // array([1., 2.], dtype=float32) becomes Tensor([1., 2.])
  const Ref no_type = Ref::steal(PyObject_CallMethod(text.get(), "replace", "ss", ", dtype=float32", ""));
  return no_type ? PyObject_CallMethod(no_type.get(), "replace", "ssi", "array", "Tensor", 1) : nullptr;
}

// Everything else that arrays do: tensor[i], len(tensor), tensor.sum().
PyObject* get_attribute(PyObject* object, PyObject* name) {
  PyObject* const own = PyObject_GenericGetAttr(object, name);
  if (own != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return own;
  const char* const text = PyUnicode_AsUTF8(name);
  if (text == nullptr || text[0] == '_') return nullptr;  // protocols of arrays are ours
  PyErr_Clear();
  const Ref array = Ref::steal(as_array(object));
  return array ? PyObject_GetAttr(array.get(), name) : nullptr;
}
PyObject* subscript(PyObject* object, PyObject* key) {
  const Ref array = Ref::steal(as_array(object));
  return array ? PyObject_GetItem(array.get(), key) : nullptr;
}
Py_ssize_t length(PyObject* object) {
  const TensorObject& t = *self_of(object);
  if (t.rank > 0) return t.sizes[0];
  PyErr_SetString(PyExc_TypeError, "a scalar Tensor has no length");
  return -1;
}
PyObject* iterate(PyObject* object) {
  const Ref array = Ref::steal(as_array(object));
  return array ? PyObject_GetIter(array.get()) : nullptr;
}

// Pickled as an array.
PyObject* reduce(PyObject* object, PyObject*) {
  const Ref array = Ref::steal(as_array(object));
  if (!array) return nullptr;
  const Ref copy = Ref::steal(PyObject_CallMethod(array.get(), "copy", nullptr));
  return copy ? Py_BuildValue("O(O)", &tensor_type, copy.get()) : nullptr;
}

PyObject* make_new(PyTypeObject*, PyObject* args, PyObject*) {
  PyObject* from = nullptr;
  if (PyArg_ParseTuple(args, "O:Tensor", &from) == 0) return nullptr;
  if (from == Py_None || PyUnicode_Check(from) || PyBytes_Check(from) || PyDict_Check(from)) {
    PyErr_Format(PyExc_TypeError, "Tensor: %s is given; an array or numbers are needed%s", Py_TYPE(from)->tp_name,
                 user_line().c_str());  // NumPy would make NaN of None, and numbers of text
    return nullptr;
  }
  const Ref module = Ref::steal(PyImport_ImportModule("numpy"));
  if (!module) return nullptr;
  const Ref array = Ref::steal(PyObject_CallMethod(module.get(), "asarray", "Oss", from, "float32", "C"));
  if (!array) return nullptr;
  Py_buffer b{};
  if (PyObject_GetBuffer(array.get(), &b, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) return nullptr;
  PyObject* made = nullptr;
  if (b.ndim > Shape::max_rank + 1) {
    PyErr_SetString(PyExc_ValueError, "a Tensor has at most 7 axes");
  } else {
    const auto* const first = static_cast<const float*>(b.buf);
    auto own =
        std::make_shared<const std::vector<float>>(first, first + b.len / static_cast<Py_ssize_t>(sizeof(float)));
    const float* const data = own->data();
    made = make({b.shape, static_cast<size_t>(b.ndim)}, std::move(own), data);
  }
  PyBuffer_Release(&b);
  return made;
}

PyMethodDef methods[] = {
    {"numpy", numpy, METH_NOARGS, "numpy($self)\n--\n\nA read-only NumPy array on the same memory."},
    {"torch", torch, METH_NOARGS, "torch($self)\n--\n\nA PyTorch tensor with a copy of the numbers."},
    {"item", item, METH_NOARGS, "item($self)\n--\n\nThe number of a tensor with one element."},
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(dlpack)), METH_VARARGS | METH_KEYWORDS,
     "A DLPack capsule on the same memory."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, "The CPU."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {{"shape", shape, nullptr, "The size of each axis.", nullptr},
                            {"ndim", ndim, nullptr, "The number of axes.", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyNumberMethods numbers{};
PyMappingMethods mapping{length, subscript, nullptr};

}  // namespace

PyTypeObject tensor_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* new_tensor(const Tensor& tensor) {
  Py_ssize_t sizes[Shape::max_rank];
  for (int axis = 0; axis < tensor.shape().rank; ++axis) sizes[axis] = tensor.shape()[axis];
  return make({sizes, static_cast<size_t>(tensor.shape().rank)}, tensor.owner(), tensor.data());
}

PyObject* new_stack(size_t n, const Shape& row, std::shared_ptr<const void> owner, const float* data) {
  Py_ssize_t sizes[Shape::max_rank + 1] = {static_cast<Py_ssize_t>(n)};
  for (int axis = 0; axis < row.rank; ++axis) sizes[axis + 1] = row[axis];
  return make({sizes, static_cast<size_t>(row.rank) + 1}, std::move(owner), data);
}

PyObject* as_array(PyObject* tensor) {
  static PyObject* asarray = nullptr;  // never freed: a module is not unloaded
  if (asarray == nullptr) {
    const Ref module = Ref::steal(PyImport_ImportModule("numpy"));
    if (!module) return nullptr;
    asarray = PyObject_GetAttrString(module.get(), "asarray");
    if (asarray == nullptr) return nullptr;
  }
  const Ref view = Ref::steal(PyMemoryView_FromObject(tensor));
  return view ? PyObject_CallOneArg(asarray, view.get()) : nullptr;
}

void add_tensor_type(PyObject* module) {
  numbers.nb_float = to_float;
  numbers.nb_int = to_int;
  numbers.nb_bool = truth;
  numbers.nb_add = binary<PyNumber_Add>;
  numbers.nb_subtract = binary<PyNumber_Subtract>;
  numbers.nb_multiply = binary<PyNumber_Multiply>;
  numbers.nb_true_divide = binary<PyNumber_TrueDivide>;
  numbers.nb_matrix_multiply = binary<PyNumber_MatrixMultiply>;
  numbers.nb_power = power;
  numbers.nb_negative = unary<PyNumber_Negative>;
  numbers.nb_absolute = unary<PyNumber_Absolute>;
  PyTypeObject& t = tensor_type;
  t.tp_name = "espalier.Tensor";
  t.tp_basicsize = sizeof(TensorObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT;
  t.tp_doc = "Read-only numbers. NumPy and DLPack see them without a copy: numpy.asarray(t), torch.from_dlpack(t).";
  t.tp_dealloc = dealloc;
  t.tp_as_buffer = &buffer_procs;
  t.tp_as_number = &numbers;
  t.tp_as_mapping = &mapping;
  t.tp_richcompare = compare;
  t.tp_hash = [](PyObject* object) { return _Py_HashPointer(object); };  // as torch.Tensor
  t.tp_methods = methods;
  t.tp_getset = properties;
  t.tp_getattro = get_attribute;
  t.tp_iter = iterate;
  t.tp_repr = repr;
  t.tp_new = make_new;
  if (PyType_Ready(&t) < 0) throw_python();
  Py_INCREF(&t);
  if (PyModule_AddObject(module, "Tensor", reinterpret_cast<PyObject*>(&t)) < 0) throw_python();
}

}  // namespace espalier::python
