#include "python/src/function/module_base.h"

#include <structmember.h>

#include "python/src/errors.h"

namespace espalier::python {
namespace {

struct ModuleBaseObject {
  PyObject_HEAD PyObject* call;  // null: the class defines __call__
};

ModuleBaseObject* self_of(PyObject* object) { return reinterpret_cast<ModuleBaseObject*>(object); }

PyObject* call(PyObject* object, PyObject* args, PyObject* keywords) {
  PyObject* const callee = self_of(object)->call;
  if (callee != nullptr)
    return PyObject_VectorcallDict(callee, &PyTuple_GET_ITEM(args, 0), static_cast<size_t>(PyTuple_GET_SIZE(args)),
                                   keywords);
  PyErr_Format(PyExc_TypeError,
               "%s cannot be called; it needs a method __call__ or forward, or one of its methods is meant%s",
               Py_TYPE(object)->tp_name, user_line().c_str());
  return nullptr;
}
int traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(self_of(object)->call);
  return 0;
}
int clear(PyObject* object) {
  Py_CLEAR(self_of(object)->call);
  return 0;
}
void dealloc(PyObject* object) {
  PyObject_GC_UnTrack(object);
  clear(object);
  Py_TYPE(object)->tp_free(object);
}

PyMemberDef members[] = {{"_call", T_OBJECT, offsetof(ModuleBaseObject, call), 0, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};
PyTypeObject module_base_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

}  // namespace

void add_module_base(PyObject* module) {
  PyTypeObject& t = module_base_type;
  t.tp_name = "espalier.ModuleBase";
  t.tp_basicsize = sizeof(ModuleBaseObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  t.tp_call = call;
  t.tp_traverse = traverse;
  t.tp_clear = clear;
  t.tp_dealloc = dealloc;
  t.tp_members = members;
  t.tp_new = PyType_GenericNew;
  if (PyType_Ready(&t) < 0) throw_python();
  Py_INCREF(&t);
  if (PyModule_AddObject(module, "ModuleBase", reinterpret_cast<PyObject*>(&t)) < 0) throw_python();
}

}  // namespace espalier::python
