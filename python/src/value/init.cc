#include "python/src/value/init.h"

#include <new>

#include <espalier/io/init.h>
#include "python/src/function/function.h"
#include "python/src/value/tensor.h"

namespace espalier::python {
namespace {

struct InitObject {
  PyObject_HEAD Init how;
  const char* name;     // of the function that made it
  PyObject* arguments;  // those of the function, a tuple
};
PyTypeObject init_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

InitObject* self_of(PyObject* object) { return reinterpret_cast<InitObject*>(object); }

// `arguments`: a new reference.
PyObject* new_init(Init how, const char* name, PyObject* arguments) {
  Ref held = Ref::steal(checked(arguments));
  auto* const made = self_of(checked(init_type.tp_alloc(&init_type, 0)));
  new (&made->how) Init(std::move(how));
  made->name = name;
  made->arguments = held.release();
  return reinterpret_cast<PyObject*>(made);
}
void dealloc(PyObject* object) {
  self_of(object)->how.~Init();
  Py_DECREF(self_of(object)->arguments);
  Py_TYPE(object)->tp_free(object);
}
// Modules keep the arguments of their constructors, to be copied and pickled.
PyObject* reduce(PyObject* object, PyObject*) {
  const Ref module = Ref::steal(PyImport_ImportModule("espalier.init"));
  const Ref make = module ? Ref::steal(PyObject_GetAttrString(module.get(), "_make")) : Ref();
  return make ? Py_BuildValue("O(sO)", make.get(), self_of(object)->name, self_of(object)->arguments) : nullptr;
}
PyObject* repr(PyObject* object) {
  const Py_ssize_t n = PyTuple_GET_SIZE(self_of(object)->arguments);
  if (n != 1) return PyUnicode_FromFormat("init.%s%R", self_of(object)->name, self_of(object)->arguments);
  return PyUnicode_FromFormat("init.%s(%R)", self_of(object)->name, PyTuple_GET_ITEM(self_of(object)->arguments, 0));
}
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

PyObject* numbers(float a) { return Py_BuildValue("(d)", static_cast<double>(a)); }
PyObject* numbers(float a, float b) { return Py_BuildValue("(dd)", static_cast<double>(a), static_cast<double>(b)); }

template <class F>
void add(PyObject* module, const char* name, std::string_view arguments, const char* doc, F f) {
  if (PyModule_AddObject(module, name, wrap(name, arguments, doc, std::move(f)).release()) < 0) throw_python();
}

}  // namespace

Init to_init(PyObject* object) {
  if (Py_TYPE(object) == &init_type) return reinterpret_cast<InitObject*>(object)->how;
  if (PyFloat_Check(object) || PyLong_Check(object))
    return init::constant(static_cast<float>(to_double(object, {"Parameter", "init"})));
  Floats numbers;
  read_floats(object, {"Parameter", "init"}, numbers);
  return init::tensor(Tensor(numbers.shape, {numbers.data, numbers.data + numbers.size()}));
}

void add_init(PyObject* module) {
  init_type.tp_name = "espalier.Init";
  init_type.tp_basicsize = sizeof(InitObject);
  init_type.tp_flags = Py_TPFLAGS_DEFAULT;
  init_type.tp_dealloc = dealloc;
  init_type.tp_repr = repr;
  init_type.tp_methods = methods;
  if (PyType_Ready(&init_type) < 0) throw_python();
  add(module, "glorot", "gain=1.0", "Uniform in ± gain √(6 / (in + out)).",
      [](float gain) { return new_init(init::glorot(gain), "glorot", numbers(gain)); });
  add(module, "he", "", "Normal with standard deviation √(2 / in).",
      []() { return new_init(init::he(), "he", PyTuple_New(0)); });
  add(module, "orthogonal", "gain=1.0", "Orthonormal rows or columns (Saxe et al. 2014).",
      [](float gain) { return new_init(init::orthogonal(gain), "orthogonal", numbers(gain)); });
  add(module, "identity", "gain=1.0", "gain on the diagonal of a matrix.",
      [](float gain) { return new_init(init::identity(gain), "identity", numbers(gain)); });
  add(module, "normal", "mean=0.0, sd=1.0", "Normal.",
      [](float mean, float sd) { return new_init(init::normal(mean, sd), "normal", numbers(mean, sd)); });
  add(module, "uniform", "lo, hi", "Uniform between lo and hi.",
      [](float lo, float hi) { return new_init(init::uniform(lo, hi), "uniform", numbers(lo, hi)); });
  add(module, "constant", "value", "The same number everywhere.",
      [](float value) { return new_init(init::constant(value), "constant", numbers(value)); });
  add(module, "zeros", "", "0 everywhere.", []() { return new_init(init::constant(0), "zeros", PyTuple_New(0)); });
  add(module, "ones", "", "1 everywhere.", []() { return new_init(init::constant(1), "ones", PyTuple_New(0)); });
  add(module, "from_file", "path, name", "The tensor of this name in a safetensors or PyTorch file.",
      [](const std::string& path, const std::string& name) {
        return new_init(init::from_file(path, name), "from_file", Py_BuildValue("(ss)", path.c_str(), name.c_str()));
      });
}

}  // namespace espalier::python
