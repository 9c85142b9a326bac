// Exceptions: espalier's as Python classes, and Python's carried through C++.
#pragma once
#include <exception>
#include <memory>
#include <string>

#include <espalier/base/error.h>

#include "python/src/value/object.h"

namespace espalier::python {

// A Python exception on its way through C++ code, which calls no Python. Copies share the exception.
class PythonError : public std::exception {
 public:
  PythonError();  // takes the exception that is set; needs the GIL
  PythonError(const PythonError&) = default;
  PythonError& operator=(const PythonError&) = default;
  const char* what() const noexcept override { return "a Python exception"; }
  void restore() const;  // sets it again, with its traceback; needs the GIL
  PyObject* value() const;

 private:
  struct Taken;
  std::shared_ptr<Taken> taken_;
};

// A name that is not one of those that an argument accepts.
struct OptionError : Error {
  OptionError(const std::string& argument, const std::string& given, const std::string& accepted)
      : Error(argument + " '" + given + "' is unknown; it must be " + accepted) {}
};

// Sets the Python exception for the C++ exception that is being handled, with the user's Python line appended to
// errors of espalier that name none. Returns null.
PyObject* set_error() noexcept;
void set_error(const std::exception_ptr& error) noexcept;  // the same for a stored exception

// Adds a line to the exception that is set, which a traceback prints last.
void add_note(const std::string& text);

// Throws the exception that is set; for calls of the C API that failed.
[[noreturn]] void throw_python();
template <class T>
T* checked(T* object) {
  if (object == nullptr) throw_python();
  return object;
}
[[noreturn]] void throw_type_error(const std::string& text);

// " (tree.py:41)": the innermost frame outside of this package; empty if there is none.
std::string user_line();

// The folder of the package's Python files: their lines are not the user's.
void set_package_folder(const std::string& folder);

// Adds the exception classes to the module.
void add_errors(PyObject* module);

}  // namespace espalier::python
