#include "python/src/errors.h"

#include <frameobject.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>

#include <espalier/base/file_error.h>

namespace espalier::python {
namespace {

struct Classes {
  PyObject *error, *shape, *index, *graph, *number, *data, *file, *no_file, *device, *option, *internal;
} classes;

std::string package_folder;  // of this package's Python files; ends with '/'

// Whether the frame belongs to this package. Its tests and programs are outside.
bool is_own(std::string_view file) { return !package_folder.empty() && file.starts_with(package_folder); }

std::string_view text_of(PyObject* text) {
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(text, &size);
  if (data == nullptr) {
    PyErr_Clear();
    return {};
  }
  return {data, static_cast<size_t>(size)};
}

void set(PyObject* type, const std::string& text) { PyErr_SetString(type, text.c_str()); }

std::string text_with_line(const Error& error) {
  const std::string_view what = error.what();
  return std::string(what) + (what.find(".py:") == std::string_view::npos ? user_line() : std::string());
}
void set_own(PyObject* type, const Error& error) { set(type, text_with_line(error)); }

// An OSError with its attributes. Its text is ours, not that of errno.
void set_file_error(const FileError& e) {
  PyObject* const type = e.code == ENOENT ? classes.no_file : classes.file;
  const Ref made = Ref::steal(PyObject_CallFunction(type, "s", text_with_line(e).c_str()));
  const Ref code = Ref::steal(PyLong_FromLong(e.code));
  const Ref reason = Ref::steal(PyUnicode_DecodeLocale(std::strerror(e.code), "surrogateescape"));
  const Ref path = Ref::steal(PyUnicode_DecodeFSDefault(e.path.c_str()));
  if (!made || !code || !reason || !path) return;  // that exception is set
  if (PyObject_SetAttrString(made.get(), "errno", code.get()) < 0 ||
      PyObject_SetAttrString(made.get(), "strerror", reason.get()) < 0 ||
      PyObject_SetAttrString(made.get(), "filename", path.get()) < 0)
    return;
  PyErr_SetObject(type, made.get());
}

// An unknown parameter of a C++ exception is reported by its own text.
void set_current() {
  try {
    throw;
  } catch (const PythonError& e) {
    e.restore();
  } catch (const ShapeError& e) {
    set_own(classes.shape, e);
  } catch (const IndexError& e) {
    set_own(classes.index, e);
  } catch (const GraphError& e) {
    set_own(classes.graph, e);
  } catch (const NumberError& e) {
    set_own(classes.number, e);
  } catch (const FileError& e) {
    set_file_error(e);
  } catch (const DataError& e) {
    set_own(classes.data, e);
  } catch (const DeviceError& e) {
    set_own(classes.device, e);
  } catch (const OptionError& e) {
    set_own(classes.option, e);
  } catch (const InternalError& e) {
    set_own(classes.internal, e);
  } catch (const Error& e) {
    set_own(classes.error, e);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    set(PyExc_RuntimeError, e.what());
  } catch (...) {
    set(PyExc_RuntimeError, "an unknown C++ exception");
  }
}

PyObject* new_class(PyObject* module, const char* name, const char* doc, PyObject* base, PyObject* builtin = nullptr,
                    PyObject* members = nullptr) {
  const std::string full = std::string("espalier.") + name;
  const Ref bases = Ref::steal(builtin == nullptr ? PyTuple_Pack(1, base) : PyTuple_Pack(2, base, builtin));
  PyObject* const made = checked(PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.get(), members));
  Py_INCREF(made);
  if (PyModule_AddObject(module, name, made) < 0) throw_python();
  return made;
}

}  // namespace

struct PythonError::Taken {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  Taken() {
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace != nullptr) PyException_SetTraceback(value, trace);  // for readers of `value`
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  // The last copy of an exception may die in any thread, with or without the GIL.
  ~Taken() {
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    PyGILState_Release(state);
  }
};

PythonError::PythonError() : taken_(std::make_shared<Taken>()) {}
void PythonError::restore() const {
  Py_XINCREF(taken_->type);
  Py_XINCREF(taken_->value);
  Py_XINCREF(taken_->trace);
  PyErr_Restore(taken_->type, taken_->value, taken_->trace);
}
PyObject* PythonError::value() const { return taken_->value; }

PyObject* set_error() noexcept {
  set_current();
  return nullptr;
}

void set_error(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (...) {
    set_current();
  }
}

void add_note(const std::string& text) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Ref::steal(PyObject_CallMethod(value, "add_note", "s", text.c_str()));
  PyErr_Clear();  // of an add_note that a class overrides
  PyErr_Restore(type, value, trace);
}

void throw_python() { throw PythonError(); }
void throw_type_error(const std::string& text) {
  PyErr_SetString(PyExc_TypeError, (text + user_line()).c_str());
  throw_python();
}

std::string user_line() {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  std::string line;
  while (frame != nullptr) {
    const Ref code = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    const Ref file = Ref::steal(PyObject_GetAttrString(code.get(), "co_filename"));
    const std::string_view path = file ? text_of(file.get()) : std::string_view();
    if (!is_own(path)) {
      const size_t slash = path.find_last_of('/');
      line = " (" + std::string(slash == std::string_view::npos ? path : path.substr(slash + 1)) + ":" +
             std::to_string(PyFrame_GetLineNumber(frame)) + ")";
      Py_DECREF(frame);
      break;
    }
    PyFrameObject* const back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  PyErr_Clear();
  return line;
}

void set_package_folder(const std::string& folder) { package_folder = folder + "/"; }

void add_errors(PyObject* module) {
  classes.error = new_class(module, "Error", "Base class of all errors of espalier.", PyExc_Exception);
  auto derived = [&](const char* name, const char* doc, PyObject* builtin) {
    return new_class(module, name, doc, classes.error, builtin);
  };
  classes.shape = derived("ShapeError", "Incompatible shapes.", PyExc_ValueError);
  classes.index = derived("IndexError", "A row, label or position out of range.", PyExc_IndexError);
  classes.graph = derived("GraphError", "Invalid use of an Expr, a graph or an engine.", nullptr);
  classes.number = derived("NumberError", "A value that is not finite where one is needed.", nullptr);
  classes.data = derived("DataError", "An invalid file, record or checkpoint.", PyExc_ValueError);
  const Ref members = Ref::steal(checked(PyDict_New()));  // the text is the message, as that of other exceptions
  const Ref text = Ref::steal(checked(PyObject_GetAttrString(PyExc_BaseException, "__str__")));
  if (PyDict_SetItemString(members.get(), "__str__", text.get()) < 0) throw_python();
  classes.file = new_class(module, "FileError", "A file that cannot be opened, read or written; errno tells why.",
                           classes.data, PyExc_OSError, members.get());
  classes.no_file = new_class(module, "FileNotFoundError", "A file or folder that does not exist.", classes.file,
                              PyExc_FileNotFoundError);
  classes.option = derived("OptionError", "A name that an argument does not accept.", PyExc_ValueError);
  classes.device = derived("DeviceError", "A device that does not exist, or not enough memory.", PyExc_RuntimeError);
  classes.internal = derived("InternalError", "A bug in espalier.", PyExc_RuntimeError);
}

}  // namespace espalier::python
