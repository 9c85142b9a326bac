#include "init.h"

#include <new>

#include <espalier/io/init.h>
#include "function.h"
#include "tensor.h"

namespace espalier::python {
namespace {

struct InitObject {
  PyObject_HEAD
  Init how;
};
PyTypeObject init_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* new_init(Init how) {
  auto* const made = reinterpret_cast<InitObject*>(checked(init_type.tp_alloc(&init_type, 0)));
  new (&made->how) Init(std::move(how));
  return reinterpret_cast<PyObject*>(made);
}
void dealloc(PyObject* object) {
  reinterpret_cast<InitObject*>(object)->how.~Init();
  Py_TYPE(object)->tp_free(object);
}

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
  if (PyType_Ready(&init_type) < 0) throw_python();
  add(module, "glorot", "gain=1.0", "Uniform in ± gain √(6 / (in + out)).",
      [](float gain) { return new_init(init::glorot(gain)); });
  add(module, "he", "", "Normal with standard deviation √(2 / in).", []() { return new_init(init::he()); });
  add(module, "orthogonal", "gain=1.0", "Orthonormal rows or columns (Saxe et al. 2014).",
      [](float gain) { return new_init(init::orthogonal(gain)); });
  add(module, "identity", "gain=1.0", "gain on the diagonal of a matrix.",
      [](float gain) { return new_init(init::identity(gain)); });
  add(module, "normal", "mean=0.0, sd=1.0", "Normal.", [](float mean, float sd) { return new_init(init::normal(mean, sd)); });
  add(module, "uniform", "lo, hi", "Uniform between lo and hi.",
      [](float lo, float hi) { return new_init(init::uniform(lo, hi)); });
  add(module, "constant", "value", "The same number everywhere.",
      [](float value) { return new_init(init::constant(value)); });
  add(module, "zeros", "", "0 everywhere.", []() { return new_init(init::constant(0)); });
  add(module, "ones", "", "1 everywhere.", []() { return new_init(init::constant(1)); });
  add(module, "from_file", "path, name", "The tensor of this name in a safetensors or PyTorch file.",
      [](const std::string& path, const std::string& name) { return new_init(init::from_file(path, name)); });
}

}  // namespace espalier::python
