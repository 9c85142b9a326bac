// Data as plain Python objects: what the files data_*.cc share. They return tuples and lists, of which the Python files
// of espalier/data make trees. Trees are lists of nodes, children before parents.
#pragma once
#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <espalier/data/vocabulary.h>
#include <espalier/text/lines.h>
#include "python/src/value/object.h"

namespace espalier::python {

// A Python string as the bytes of a file. Bytes that are not UTF-8 become lone surrogates, as in file names.
struct Text {
  std::string bytes;
};
pybind11::str to_str(std::string_view bytes);

// A number of examples, an index or a seed. ValueError if it is negative or does not fit.
struct Count {
  uint64_t value = 0;
  operator uint64_t() const { return value; }
};

using SharedVocabulary = std::shared_ptr<data::Vocabulary>;

// A Python iterator over examples. next() returns a null object at the end.
struct Examples {
  std::function<pybind11::object()> next;
};

// The examples of a file: next(lines, example) reads one, convert(example) makes a Python object of it.
template <class T, class Next, class Convert>
Examples examples_of(const Text& path, Next next, Convert convert) {
  auto lines = std::make_shared<text::Lines>(path.bytes);
  return {[lines, next, convert]() -> pybind11::object {
    T example;
    return next(*lines, example) ? pybind11::object(convert(example)) : pybind11::object();
  }};
}

template <class T, class Convert>
pybind11::list list_of(const std::vector<T>& all, const Convert& convert) {
  pybind11::list list(all.size());
  for (size_t i = 0; i < all.size(); ++i) list[i] = convert(all[i]);
  return list;
}

// Calls f without the GIL. f must not read a Vocabulary, which other threads may change.
template <class F>
auto unlocked(const F& f) {
  const Unlocked unlocked;
  return f();
}

void add_vocabulary(pybind11::module_& data);   // first: the others take vocabularies
void add_trees(pybind11::module_& data);        // sentiment, labelled_tree, treebank, sick, binary_tree
void add_sentences(pybind11::module_& data);    // conllu, tagged, text, tables
void add_expressions(pybind11::module_& data);  // listops, arithmetic, logic
void add_synthetic(pybind11::module_& data);    // digit_images, fizz_buzz, languages, marked, pairs of atoms

}  // namespace espalier::python

namespace pybind11::detail {

template <>
struct type_caster<espalier::python::Text> {
  PYBIND11_TYPE_CASTER(espalier::python::Text, const_name("str"));
  bool load(handle from, bool) {
    object encoded;
    if (PyUnicode_Check(from.ptr())) {
      encoded = reinterpret_steal<object>(PyUnicode_AsEncodedString(from.ptr(), "utf-8", "surrogateescape"));
      if (!encoded) throw error_already_set();
      from = encoded;
    }
    if (!PyBytes_Check(from.ptr())) return false;
    value.bytes.assign(PyBytes_AS_STRING(from.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(from.ptr())));
    return true;
  }
  static handle cast(const espalier::python::Text& text, return_value_policy, handle) {
    return espalier::python::to_str(text.bytes).release();
  }
};

template <>
struct type_caster<espalier::python::Count> {
  PYBIND11_TYPE_CASTER(espalier::python::Count, const_name("int"));
  bool load(handle from, bool) {
    if (!PyIndex_Check(from.ptr())) return false;
    const object number = reinterpret_steal<object>(PyNumber_Index(from.ptr()));
    if (!number) throw error_already_set();
    value.value = PyLong_AsUnsignedLongLong(number.ptr());
    if (PyErr_Occurred() == nullptr) return true;
    PyErr_Clear();
    throw value_error(str(from).cast<std::string>() + " is given; a number from 0 to 2^64 - 1 is needed");
  }
};

}  // namespace pybind11::detail
