#include "python/src/data/json_value.h"

#include <espalier/base/error.h>
#include <espalier/block/block.h>

#include "python/src/errors.h"
#include "python/src/function/convert.h"

namespace espalier::python {
namespace {

using Json = nlohmann::json;
constexpr int deepest = 1000;  // as in json::Records

Json convert(PyObject* object, int depth);

// UTF-8, or a DataError: JSON has no other text.
std::string text_of(PyObject* text) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    throw DataError("the string has a lone surrogate; valid Unicode is needed");
  }
  return {bytes, static_cast<size_t>(size)};
}

Json integer_of(PyObject* number) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow == 0) return static_cast<int64_t>(value);
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(number) : 0;
  if (overflow > 0 && PyErr_Occurred() == nullptr) return static_cast<uint64_t>(large);
  PyErr_Clear();
  const double approximate = PyLong_AsDouble(number);
  if (PyErr_Occurred() == nullptr) return approximate;
  PyErr_Clear();
  throw DataError("the integer is outside the range of double");
}

// Runs f for a part of a value, whose step of the path its errors get.
template <class F>
Json part(const std::string& step, const F& f) {
  try {
    return f();
  } catch (Error& e) {
    e.within(step);
    throw;
  }
}

Json array_of(PyObject* sequence, int depth) {
  Json all = Json::array();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    const Ref one = Ref::share(PySequence_Fast_GET_ITEM(sequence, i));
    all.push_back(part(block::detail::step_to(static_cast<long long>(i)), [&] { return convert(one.get(), depth); }));
  }
  return all;
}

Json object_of(PyObject* dict, int depth) {
  Json all = Json::object();
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value) != 0;) {
    const Ref field = Ref::share(key), one = Ref::share(value);
    if (!PyUnicode_Check(key)) throw DataError("a field is named by " + type_of(key) + "; a string is needed");
    std::string name = text_of(key);
    Json made = part(block::detail::step_to(name), [&] { return convert(one.get(), depth); });
    all.emplace(std::move(name), std::move(made));
  }
  return all;
}

// The result of object.tolist(), for NumPy; DataError for other objects.
Ref listed(PyObject* object) {
  Ref made = Ref::steal(PyObject_CallMethod(object, "tolist", nullptr));
  if (made && Py_TYPE(made.get()) != Py_TYPE(object)) return made;
  PyErr_Clear();
  throw DataError(type_of(object) + " is given; a dict, list, string, number, bool or None is needed");
}

Json convert(PyObject* object, int depth) {
  if (object == Py_None) return nullptr;
  if (PyBool_Check(object)) return object == Py_True;
  if (PyUnicode_Check(object)) return text_of(object);
  if (PyLong_Check(object)) return integer_of(object);
  if (PyFloat_Check(object)) return PyFloat_AS_DOUBLE(object);
  if (depth == deepest) throw DataError("the record is nested deeper than " + std::to_string(deepest) + " levels");
  if (PyDict_Check(object)) return object_of(object, depth + 1);
  if (PyList_Check(object) || PyTuple_Check(object)) return array_of(object, depth + 1);
  return convert(listed(object).get(), depth + 1);
}

}  // namespace

Json to_json(PyObject* object) { return convert(object, 0); }

PyObject* to_python(const Json& value) {
  switch (value.type()) {
    case Json::value_t::boolean:
      return PyBool_FromLong(value.get<bool>() ? 1 : 0);
    case Json::value_t::number_integer:
      return checked(PyLong_FromLongLong(value.get<int64_t>()));
    case Json::value_t::number_unsigned:
      return checked(PyLong_FromUnsignedLongLong(value.get<uint64_t>()));
    case Json::value_t::number_float:
      return checked(PyFloat_FromDouble(value.get<double>()));
    case Json::value_t::string: {
      const auto& text = value.get_ref<const std::string&>();
      return checked(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
    }
    case Json::value_t::array: {
      Ref list = Ref::steal(checked(PyList_New(static_cast<Py_ssize_t>(value.size()))));
      Py_ssize_t i = 0;
      for (const Json& one : value) PyList_SET_ITEM(list.get(), i++, to_python(one));
      return list.release();
    }
    case Json::value_t::object: {
      Ref dict = Ref::steal(checked(PyDict_New()));
      for (const auto& [name, one] : value.items()) {
        const Ref key =
            Ref::steal(checked(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()))));
        const Ref made = Ref::steal(to_python(one));
        if (PyDict_SetItem(dict.get(), key.get(), made.get()) < 0) throw_python();
      }
      return dict.release();
    }
    default:
      Py_RETURN_NONE;
  }
}

}  // namespace espalier::python
