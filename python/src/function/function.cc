#include "python/src/function/function.h"

#include <structmember.h>

#include <new>

namespace espalier::python {
namespace {

constexpr size_t most_arguments = 12;

struct Signature {
  std::string name, doc, text;  // text: "(x, axis=-1)"
  std::vector<std::string> names;
  std::vector<Ref> interned;  // the same, as Python strings
  std::vector<Ref> defaults;  // empty: required
  Callee callee;
};

struct FunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  Signature* signature;
};

const Signature& signature_of(PyObject* object) { return *reinterpret_cast<FunctionObject*>(object)->signature; }

[[noreturn]] void refuse(const Signature& s, const std::string& why) { throw_type_error(s.name + s.text + ": " + why); }

void take_keywords(const Signature& s, PyObject* const* values, PyObject* names, std::span<PyObject*> args) {
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); ++k) {
    PyObject* const name = PyTuple_GET_ITEM(names, k);
    size_t i = 0;
    while (i < s.names.size() && s.interned[i].get() != name && PyUnicode_Compare(s.interned[i].get(), name) != 0) ++i;
    if (i == s.names.size()) refuse(s, "no argument is named " + to_string(name, {s.name, "a keyword"}));
    if (args[i] != nullptr) refuse(s, s.names[i] + " is given twice");
    args[i] = values[k];
  }
}

PyObject* call(PyObject* object, PyObject* const* given, size_t flags, PyObject* keywords) {
  const Signature& s = signature_of(object);
  const auto n = static_cast<size_t>(PyVectorcall_NARGS(flags));
  try {
    std::array<PyObject*, most_arguments> args{};
    if (n > s.names.size())
      refuse(s, std::to_string(n) + " arguments are given; it takes " + std::to_string(s.names.size()));
    for (size_t i = 0; i < n; ++i) args[i] = given[i];
    if (keywords != nullptr) take_keywords(s, given + n, keywords, {args.data(), s.names.size()});
    for (size_t i = 0; i < s.names.size(); ++i) {
      if (args[i] != nullptr) continue;
      args[i] = s.defaults[i].get();
      if (args[i] == nullptr) refuse(s, s.names[i] + " is missing");
    }
    return s.callee(s.name, s.names, args.data());
  } catch (...) {
    return set_error();
  }
}

void dealloc(PyObject* object) {
  delete reinterpret_cast<FunctionObject*>(object)->signature;
  PyObject_Free(object);
}
PyObject* repr(PyObject* object) {
  const Signature& s = signature_of(object);
  return PyUnicode_FromFormat("<espalier function %s%s>", s.name.c_str(), s.text.c_str());
}
PyObject* name(PyObject* object, void*) { return PyUnicode_FromString(signature_of(object).name.c_str()); }
PyObject* doc(PyObject* object, void*) { return PyUnicode_FromString(signature_of(object).doc.c_str()); }
PyObject* text(PyObject* object, void*) { return PyUnicode_FromString(signature_of(object).text.c_str()); }
// For inspect.signature, which reads no text of objects of other types than Python's own.
PyObject* signature(PyObject* object, void*) {
  const Ref module = Ref::steal(PyImport_ImportModule("espalier._signature"));
  return module ? PyObject_CallMethod(module.get(), "of", "s", signature_of(object).text.c_str()) : nullptr;
}
PyObject* module_name(PyObject*, void*) { return PyUnicode_FromString("espalier"); }
// Pickled by name: the functions of the package are its attributes.
PyObject* reduce(PyObject* object, PyObject*) { return PyUnicode_FromString(signature_of(object).name.c_str()); }

PyGetSetDef properties[] = {{"__name__", name, nullptr, nullptr, nullptr},
                            {"__qualname__", name, nullptr, nullptr, nullptr},
                            {"__doc__", doc, nullptr, nullptr, nullptr},
                            {"__text_signature__", text, nullptr, nullptr, nullptr},
                            {"__signature__", signature, nullptr, nullptr, nullptr},
                            {"__module__", module_name, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// Splits at the commas outside of brackets.
std::vector<std::string_view> split(std::string_view arguments) {
  std::vector<std::string_view> all;
  size_t first = 0;
  int depth = 0;
  for (size_t i = 0; i <= arguments.size(); ++i) {
    if (i == arguments.size() || (arguments[i] == ',' && depth == 0)) {
      if (const std::string_view one = trimmed(arguments.substr(first, i - first)); !one.empty()) all.push_back(one);
      first = i + 1;
    } else if (arguments[i] == '(') {
      ++depth;
    } else if (arguments[i] == ')') {
      --depth;
    }
  }
  return all;
}

Ref literal(std::string_view text) {
  const Ref ast = Ref::steal(checked(PyImport_ImportModule("ast")));
  return Ref::steal(checked(PyObject_CallMethod(ast.get(), "literal_eval", "s", std::string(text).c_str())));
}

PyTypeObject function_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

}  // namespace

Ref new_function(std::string name, std::string_view arguments, std::string doc, Callee callee) {
  auto s = std::make_unique<Signature>();
  s->name = std::move(name);
  s->doc = std::move(doc);
  s->text = "(" + std::string(arguments) + ")";
  s->callee = std::move(callee);
  for (const std::string_view one : split(arguments)) {
    const size_t equals = one.find('=');
    s->names.emplace_back(trimmed(one.substr(0, equals)));
    s->interned.push_back(Ref::steal(checked(PyUnicode_InternFromString(s->names.back().c_str()))));
    s->defaults.push_back(equals == std::string_view::npos ? Ref() : literal(trimmed(one.substr(equals + 1))));
  }
  if (s->names.size() > most_arguments) throw InternalError(s->name + ": too many arguments");
  auto* const made = checked(PyObject_New(FunctionObject, &function_type));
  made->vectorcall = call;
  made->signature = s.release();
  return Ref::steal(reinterpret_cast<PyObject*>(made));
}

void add_function_type(PyObject* module) {
  PyTypeObject& t = function_type;
  t.tp_name = "espalier.Function";
  t.tp_basicsize = sizeof(FunctionObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
  t.tp_vectorcall_offset = offsetof(FunctionObject, vectorcall);
  t.tp_call = PyVectorcall_Call;
  t.tp_dealloc = dealloc;
  t.tp_repr = repr;
  t.tp_getset = properties;
  t.tp_methods = methods;
  if (PyType_Ready(&t) < 0) throw_python();
  Py_INCREF(&t);
  if (PyModule_AddObject(module, "Function", reinterpret_cast<PyObject*>(&t)) < 0) throw_python();
}

}  // namespace espalier::python
