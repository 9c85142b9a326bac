// Python objects as arguments of C++ functions. Each function throws a PythonError (TypeError) or an Error if the
// object does not fit; `what` names the argument.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include <espalier/expr/cell.h>
#include <espalier/tensor/tensor.h>
#include "python/src/value/expr.h"

namespace espalier::python {

// Who asks, for which argument: part of error messages.
struct Asked {
  std::string_view who, argument;
};

// An Expr, or a row made of it in the current graph: a Parameter, a Tensor, an array, a list of numbers or a number.
Expr to_row(PyObject* object, const Asked& asked);
inline Expr to_expr(PyObject* object, const Asked& asked) {
  if (is_expr(object)) [[likely]]
    return expr_in(object);
  return to_row(object, asked);
}
Operand to_operand(PyObject* object, const Asked& asked);  // also a Parameter or a number as it is
nn::State to_state(PyObject* object, const Asked& asked);
Index to_index(PyObject* object, const Asked& asked);    // an int, a bool, or an index of the cell being traced
Number to_number(PyObject* object, const Asked& asked);  // a float, or a number of the cell being traced
int to_int(PyObject* object, const Asked& asked);
double to_double(PyObject* object, const Asked& asked);
bool to_bool(PyObject* object, const Asked& asked);
Shape to_shape(PyObject* object, const Asked& asked);  // an int, or a sequence of ints
std::string to_string(PyObject* object, const Asked& asked);

// The elements of a sequence or iterable, as borrowed references that live as long as the object returned.
class Items {
 public:
  Items(PyObject* object, const Asked& asked);
  size_t size() const { return static_cast<size_t>(PySequence_Fast_GET_SIZE(fast_.get())); }
  PyObject* operator[](size_t i) const { return PySequence_Fast_GET_ITEM(fast_.get(), static_cast<Py_ssize_t>(i)); }

 private:
  Ref fast_;
};

// Numbers in row-major order. Arrays of other types of numbers are converted; a row of float32 is read in place.
struct Floats {
  Shape shape;
  const float* data = nullptr;
  std::vector<float> own;  // holds the numbers if they had to be converted
  Py_buffer buffer{};      // holds the object otherwise
  bool holds_buffer = false;
  Floats() = default;
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  ~Floats() {
    if (holds_buffer) PyBuffer_Release(&buffer);
  }
  size_t size() const { return static_cast<size_t>(shape.size()); }
};
void read_floats(PyObject* object, const Asked& asked, Floats& into);

std::string type_of(PyObject* object);  // its class, for messages

}  // namespace espalier::python
