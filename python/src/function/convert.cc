#include "python/src/function/convert.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <espalier/expr/functions.h>
#include "cell/builder.h"
#include "expr/record.h"
#include "python/src/engine/current.h"
#include "python/src/errors.h"
#include "python/src/value/parameter.h"
#include "python/src/value/tensor.h"

namespace espalier::python {
namespace {

std::string name_of(const Asked& asked) {
  std::string text(asked.who);
  if (!asked.argument.empty()) text += ": " + std::string(asked.argument);
  return text;
}
[[noreturn]] void refuse(PyObject* object, const Asked& asked, const std::string& needed) {
  throw_type_error(name_of(asked) + " is " + type_of(object) + "; it must be " + needed);
}

// The kind of a traced value. Nothing but indexes and numbers of a cell need it.
Node::Kind traced_kind(Expr x) {
  Trace& trace = trace_of(x, "cell", {});
  return trace.program.node(traced_node(trace, x, "cell", {})).kind;
}
bool is_index_node(Node::Kind kind) { return kind == Node::Kind::index || kind == Node::Kind::literal; }

// ---- arrays

template <class T>
void convert(const char* from, const Py_buffer& b, size_t n, std::vector<float>& to) {
  if (b.ndim <= 1) {
    const Py_ssize_t stride = b.ndim == 1 && b.strides != nullptr ? b.strides[0] : b.itemsize;
    for (size_t i = 0; i < n; ++i) {
      T value;
      std::memcpy(&value, from + static_cast<Py_ssize_t>(i) * stride, sizeof value);
      to.push_back(static_cast<float>(value));
    }
    return;
  }
  std::vector<Py_ssize_t> at(static_cast<size_t>(b.ndim), 0);
  for (size_t i = 0; i < n; ++i) {
    const char* place = from;
    for (int axis = 0; axis < b.ndim; ++axis) place += at[static_cast<size_t>(axis)] * b.strides[axis];
    T value;
    std::memcpy(&value, place, sizeof value);
    to.push_back(static_cast<float>(value));
    for (int axis = b.ndim - 1; axis >= 0 && ++at[static_cast<size_t>(axis)] == b.shape[axis]; --axis)
      at[static_cast<size_t>(axis)] = 0;
  }
}

// Converts by the letter of Python's struct module; false for types that are not numbers.
bool convert(char letter, const Py_buffer& b, size_t n, std::vector<float>& to) {
  const char* const from = static_cast<const char*>(b.buf);
  switch (letter) {
    case 'f':
      return convert<float>(from, b, n, to), true;
    case 'd':
      return convert<double>(from, b, n, to), true;
    case '?':
      return convert<bool>(from, b, n, to), true;
    case 'b':
      return convert<signed char>(from, b, n, to), true;
    case 'B':
      return convert<unsigned char>(from, b, n, to), true;
    case 'h':
      return convert<short>(from, b, n, to), true;
    case 'H':
      return convert<unsigned short>(from, b, n, to), true;
    case 'i':
      return convert<int>(from, b, n, to), true;
    case 'I':
      return convert<unsigned>(from, b, n, to), true;
    case 'l':
      return convert<long>(from, b, n, to), true;
    case 'L':
      return convert<unsigned long>(from, b, n, to), true;
    case 'q':
      return convert<long long>(from, b, n, to), true;
    case 'Q':
      return convert<unsigned long long>(from, b, n, to), true;
    default:
      return false;
  }
}

bool read_buffer(PyObject* object, const Asked& asked, Floats& into) {
  Py_buffer& b = into.buffer;
  if (PyObject_GetBuffer(object, &b, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    PyErr_Clear();  // a float16 array, for example, has a buffer of a type without letter; see by_numpy
    return false;
  }
  into.holds_buffer = true;
  if (b.ndim > Shape::max_rank)
    throw ShapeError(name_of(asked) + " has " + std::to_string(b.ndim) + " axes; a row has at most 6");
  std::array<int, Shape::max_rank> sizes{};
  for (int axis = 0; axis < b.ndim; ++axis) {
    if (b.shape[axis] > std::numeric_limits<int>::max())
      throw ShapeError(name_of(asked) + ": axis " + std::to_string(axis) + " has " + std::to_string(b.shape[axis]) +
                       " elements; at most 2147483647 are possible");
    sizes[static_cast<size_t>(axis)] = static_cast<int>(b.shape[axis]);
  }
  into.shape = Shape::of(sizes.data(), b.ndim);
  const char* format = b.format == nullptr ? "B" : b.format;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (format[0] == '\0' || format[1] != '\0') return false;
  if (format[0] == 'f' && PyBuffer_IsContiguous(&b, 'C') != 0 &&
      reinterpret_cast<std::uintptr_t>(b.buf) % alignof(float) == 0) {
    into.data = static_cast<const float*>(b.buf);
    return true;
  }
  const auto n = static_cast<size_t>(into.shape.size());
  into.own.reserve(n);
  if (!convert(format[0], b, n, into.own)) return false;
  into.data = into.own.data();
  return true;
}

// Other arrays, of float16 or PyTorch for example, by NumPy.
void by_numpy(PyObject* object, const Asked& asked, Floats& into) {
  if (into.holds_buffer) PyBuffer_Release(&into.buffer);
  into.holds_buffer = false;
  into.own.clear();
  const Ref numpy = Ref::steal(checked(PyImport_ImportModule("numpy")));
  const Ref given = Ref::steal(PyObject_CallMethod(numpy.get(), "asarray", "(O)", object));
  const Ref type = given ? Ref::steal(PyObject_GetAttrString(given.get(), "dtype")) : Ref();
  const Ref kind = type ? Ref::steal(PyObject_GetAttrString(type.get(), "kind")) : Ref();
  // NumPy would parse text, and drop imaginary parts.
  const bool fits = kind && PyUnicode_Check(kind.get()) &&
                    std::string_view("cSUMm").find(*checked(PyUnicode_AsUTF8(kind.get()))) == std::string_view::npos;
  const Ref array = fits ? Ref::steal(PyObject_CallMethod(given.get(), "astype", "s", "float32")) : Ref();
  if (!array) {
    PyErr_Clear();
    refuse(object, asked, "a row: an Expr, a Parameter, an array or numbers");
  }
  if (!read_buffer(array.get(), asked, into)) refuse(object, asked, "an array of numbers");
}

}  // namespace

std::string type_of(PyObject* object) {
  if (object == Py_None) return "None";
  const std::string name = Py_TYPE(object)->tp_name;
  const size_t dot = name.find_last_of('.');
  const std::string last = dot == std::string::npos ? name : name.substr(dot + 1);
  const bool vowel = std::string_view("aeioAEIO").find(last[0]) != std::string_view::npos;
  return (vowel || last.starts_with("ndarray") ? "an " : "a ") + last;  // no usual type begins with a spoken "u"
}

void read_floats(PyObject* object, const Asked& asked, Floats& into) {
  if (PyFloat_Check(object) || PyLong_Check(object)) {
    into.own.push_back(static_cast<float>(to_double(object, asked)));
    into.data = into.own.data();
    return;
  }
  if (PyUnicode_Check(object) || PyBytes_Check(object) || PyDict_Check(object) || object == Py_None)
    refuse(object, asked, "a row: an Expr, a Parameter, an array or numbers");
  if (is_state(object)) refuse(object, asked, "a row; a State has two, .h and .c");
  if (PyList_Check(object) || PyTuple_Check(object)) {
    const Items items(object, asked);
    bool numbers = true;
    for (size_t i = 0; i < items.size(); ++i) {
      if (is_expr(items[i])) refuse(object, asked, "one row; stack, concat or sum make one of several");
      numbers = numbers && (PyFloat_Check(items[i]) || PyLong_Check(items[i]));
    }
    if (numbers) {
      for (size_t i = 0; i < items.size(); ++i) into.own.push_back(static_cast<float>(to_double(items[i], asked)));
      into.data = into.own.data();
      into.shape = {static_cast<int>(items.size())};
      return;
    }
  }
  if (PyObject_CheckBuffer(object) && read_buffer(object, asked, into)) return;
  by_numpy(object, asked, into);
}

Expr to_row(PyObject* object, const Asked& asked) {
  if (is_parameter(object)) {
    const Current* const now = current();
    if (now != nullptr && now->trace != nullptr)
      return expr_of(*now->trace, static_cast<uint32_t>(now->trace->builder.parameter(parameter_in(object).storage())));
    return row(current_graph(asked.who), parameter_in(object), Where{});
  }
  Floats numbers;
  read_floats(object, asked, numbers);
  const Current* const now = current();
  if (now != nullptr && now->trace != nullptr) {
    if (numbers.shape.rank != 0)
      throw GraphError(name_of(asked) + " is an array" + str(numbers.shape) +
                       ", but a cell is being traced; pass it to the cell as an argument");
    return expr_of(*now->trace, static_cast<uint32_t>(now->trace->builder.make(
                                    info<op::Full>(), erase(op::FullAttrs{{}, numbers.data[0]}), {})));
  }
  return input(current_graph(asked.who), {numbers.data, numbers.size()}, numbers.shape, Where{});
}

Operand to_operand(PyObject* object, const Asked& asked) {
  if (is_expr(object)) [[likely]] {
    const Expr x = expr_in(object);
    if (is_traced(x) && is_index_node(traced_kind(x)))
      refuse(object, asked, "a row; an index selects a row: embedding(i), one_hot(i, n), pick(x, i)");
    return Operand(x, Where{});
  }
  if (is_parameter(object)) return Operand(parameter_in(object), Where{});
  if (PyFloat_Check(object) || PyLong_Check(object)) return Operand(to_double(object, asked), Where{});
  return Operand(to_row(object, asked), Where{});
}

nn::State to_state(PyObject* object, const Asked& asked) {
  if (is_state(object)) [[likely]]
    return state_in(object);
  if (PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 2)
    return {to_expr(PyTuple_GET_ITEM(object, 0), asked), to_expr(PyTuple_GET_ITEM(object, 1), asked)};
  refuse(object, asked, "a State");
}

Index to_index(PyObject* object, const Asked& asked) {
  if (PyLong_Check(object)) [[likely]] {  // bool is a subclass of int
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow == 0 ? Index(value) : Index(overflow > 0 ? INT64_MAX : INT64_MIN);
  }
  if (is_expr(object) && is_traced(expr_in(object))) {
    if (!is_index_node(traced_kind(expr_in(object))))
      refuse(object, asked, "an integer, or an argument of the cell declared as int");
    return Index(expr_in(object));
  }
  if (!PyFloat_Check(object) && PyIndex_Check(object)) {
    const Ref number = Ref::steal(checked(PyNumber_Index(object)));
    return to_index(number.get(), asked);
  }
  // bool_ of NumPy has no __index__
  if (std::string_view(Py_TYPE(object)->tp_name).starts_with("numpy.bool")) return Index(PyObject_IsTrue(object));
  refuse(object, asked, "an integer");
}

Number to_number(PyObject* object, const Asked& asked) {
  if (PyFloat_Check(object) || PyLong_Check(object)) [[likely]]
    return Number(static_cast<float>(to_double(object, asked)));
  if (is_expr(object) && is_traced(expr_in(object))) {
    if (traced_kind(expr_in(object)) != Node::Kind::number)
      refuse(object, asked, "a number, or an argument of the cell declared as float");
    return Number(expr_in(object));
  }
  return Number(static_cast<float>(to_double(object, asked)));
}

int to_int(PyObject* object, const Asked& asked) {
  if (PyFloat_Check(object) || !PyIndex_Check(object)) refuse(object, asked, "an integer");
  const Ref number = Ref::steal(checked(PyNumber_Index(object)));
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow != 0 || value > std::numeric_limits<int>::max() || value < std::numeric_limits<int>::min())
    throw IndexError(name_of(asked) + " does not fit 32 bits");
  return static_cast<int>(value);
}

double to_double(PyObject* object, const Asked& asked) {
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(object, asked, "a number");
  }
  return value;
}

bool to_bool(PyObject* object, const Asked&) {
  const int value = PyObject_IsTrue(object);
  if (value < 0) throw_python();
  return value != 0;
}

Shape to_shape(PyObject* object, const Asked& asked) {
  if (PyIndex_Check(object)) return Shape{to_int(object, asked)};
  const Items items(object, asked);
  std::vector<int> sizes;
  for (size_t i = 0; i < items.size(); ++i) sizes.push_back(to_int(items[i], asked));
  return Shape::of(sizes.data(), static_cast<int>(sizes.size()));
}

std::string to_string(PyObject* object, const Asked& asked) {
  if (!PyUnicode_Check(object)) refuse(object, asked, "a string");
  Py_ssize_t size = 0;
  const char* const text = checked(PyUnicode_AsUTF8AndSize(object, &size));
  return {text, static_cast<size_t>(size)};
}

Items::Items(PyObject* object, const Asked& asked) : fast_(Ref::steal(PySequence_Fast(object, ""))) {
  if (fast_) return;
  PyErr_Clear();
  refuse(object, asked, "a list");
}

}  // namespace espalier::python
