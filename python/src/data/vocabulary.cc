// Vocabularies and word vectors.
#include <espalier/base/error.h>
#include <espalier/data/fill.h>
#include <espalier/data/pack.h>
#include <espalier/data/word_vectors.h>

#include "python/src/data/data.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"
#include "python/src/value/parameter.h"
#include "python/src/value/tensor.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

using data::Vocabulary;

int checked_index(const Vocabulary& v, int64_t i) {
  if (i < 0 || i >= v.size())
    throw IndexError("Vocabulary: there is no word " + std::to_string(i) + "; it has " + std::to_string(v.size()) +
                     " words");
  return static_cast<int>(i);
}

py::str packed(const Vocabulary& v) { return to_str(data::pack(v)); }
std::shared_ptr<Vocabulary> unpacked(const Text& text) {
  return std::make_shared<Vocabulary>(data::unpack_vocabulary(text.bytes));
}

void add_vocabulary_type(py::module_& m) {
  py::class_<Vocabulary, SharedVocabulary> type(
      m, "Vocabulary",
      "Vocabulary(words=()): maps words to indices in order of first occurrence, and counts them. Readers add the "
      "words "
      "of valid examples. close() freezes it: unknown words then map to len(vocabulary).");
  type.attr("__module__") = "espalier.data";
  type.def(py::init([](const py::iterable& words) {
             auto made = std::make_shared<Vocabulary>();
             for (const py::handle word : words) {
               if (!PyUnicode_Check(word.ptr()))
                 throw_type_error("Vocabulary: a word is " + type_of(word.ptr()) + "; it must be a string");
               made->add(word.cast<Text>().bytes);
             }
             return made;
           }),
           py::arg("words") = py::tuple())
      .def(
          "add", [](Vocabulary& v, const Text& word, uint64_t times) { return v.add(word.bytes, times); },
          py::arg("word"), py::arg("times") = 1,
          "Adds occurrences of a word and returns its index; len(self) if the vocabulary is closed and has no such "
          "word.")
      .def(
          "find", [](const Vocabulary& v, const Text& word) { return v.find(word.bytes); }, py::arg("word"),
          "The index of a word; -1 if it is unknown.")
      .def("close", &Vocabulary::close, "Freezes it: readers no longer add words.")
      .def_property_readonly("closed", &Vocabulary::is_closed, "Whether it takes no new words.")
      .def(
          "count", [](const Vocabulary& v, int64_t i) { return v.count(checked_index(v, i)); }, py::arg("index"),
          "How often the word of this index occurred.")
      .def(
          "by_count", [](const Vocabulary& v) { return list_of(v.by_count(), [](int i) { return py::int_(i); }); },
          "All indices, the most frequent word first.")
      .def("pack", &packed, "One text of all words and counts, for the metadata of a checkpoint.")
      .def_static("unpack", &unpacked, py::arg("text"), "The vocabulary of which pack() made the text.")
      .def("__len__", &Vocabulary::size)
      .def("__contains__", [](const Vocabulary& v, const Text& word) { return v.find(word.bytes) >= 0; })
      .def("__contains__", [](const Vocabulary&, const py::object&) { return false; })
      .def("__getitem__", [](const Vocabulary& v, int64_t i) { return to_str(v.word(checked_index(v, i))); })
      .def("__iter__",
           [](const Vocabulary& v) {
             py::list words;
             for (int i = 0; i < v.size(); ++i) words.append(to_str(v.word(i)));
             return py::iter(words);
           })
      .def("__repr__",
           [](const Vocabulary& v) {
             return "<Vocabulary of " + std::to_string(v.size()) + " words" + (v.is_closed() ? ", closed>" : ">");
           })
      .def(py::pickle([](const Vocabulary& v) { return py::make_tuple(packed(v), v.is_closed()); },
                      [](const py::tuple& state) {
                        auto made = unpacked(state[0].cast<Text>());
                        if (state[1].cast<bool>()) made->close();
                        return made;
                      }));
}

// ---- word vectors

using data::word_vectors::Table;

// A table whose matrix is shared with NumPy.
struct Vectors {
  std::shared_ptr<const Table> table;

  py::object matrix() const {
    const Ref tensor = Ref::steal(checked(
        new_stack(static_cast<size_t>(table->words.size()), Shape{table->columns}, table, table->numbers.data())));
    return py::reinterpret_steal<py::object>(checked(as_array(tensor.get())));
  }
  // The row of the word; -1: unknown.
  std::ptrdiff_t row(const Text& word, bool lower_case) const {
    const auto vector = table->find(word.bytes, lower_case);
    return vector.empty() ? -1 : (vector.data() - table->numbers.data()) / table->columns;
  }
};

Vectors read_vectors(const Text& path, const data::Vocabulary* only) {
  std::optional<data::Vocabulary> copy;  // another thread may add to the original
  if (only != nullptr) copy = *only;
  const Unlocked unlocked;
  return {std::make_shared<const Table>(data::word_vectors::read(path.bytes, {.only = copy ? &*copy : nullptr}))};
}

py::tuple fill(const py::handle& table, const Vocabulary& words, const Vectors& vectors, bool lower_case) {
  if (!is_parameter(table.ptr())) throw_type_error("fill: the table must be a Parameter or an Embedding");
  const Lookup lookup(parameter_in(table.ptr()).storage());
  const data::Filled filled = data::fill(lookup, words, *vectors.table, lower_case);
  return py::make_tuple(filled.words, filled.lower_case);
}

}  // namespace

py::str to_str(std::string_view bytes) {
  return py::reinterpret_steal<py::str>(
      checked(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape")));
}

void add_vocabulary(py::module_& m) {
  add_vocabulary_type(m);
  py::class_<Vectors>(m, "Vectors")
      .def_property_readonly("matrix", &Vectors::matrix)
      .def_property_readonly("words", [](const Vectors& v) { return std::make_shared<Vocabulary>(v.table->words); })
      .def_property_readonly("rows", [](const Vectors& v) { return v.table->rows; })
      .def_property_readonly("repeated", [](const Vectors& v) { return v.table->repeated; })
      .def("row", &Vectors::row);
  m.def("read_vectors", &read_vectors);
  m.def("fill", &fill);
}

}  // namespace espalier::python
