// Readers of sentences and of tables.
#include <espalier/data/conllu.h>
#include <espalier/data/table.h>
#include <espalier/data/tagged.h>
#include <espalier/data/text.h>

#include <pybind11/stl.h>

#include "python/src/data/data.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

namespace conllu = data::conllu;
namespace tagged = data::tagged;

// (form, lemma, upos, xpos, deprel, head)
py::list words_of(const conllu::Sentence& sentence) {
  return list_of(sentence, [](const conllu::Word& w) {
    return py::make_tuple(to_str(w.form), to_str(w.lemma), to_str(w.upos), to_str(w.xpos), to_str(w.deprel), w.head);
  });
}
py::list tokens_of(const tagged::Sentence& sentence) {
  return list_of(sentence, [](const tagged::Token& t) { return py::make_tuple(t.word, t.tag); });
}
py::list indices_of(const data::text::Sentence& sentence) {
  return list_of(sentence, [](int word) { return py::int_(word); });
}

// Rows of a table as dicts; the fields of the columns `numbers` are floats, or None if they are empty.
Examples rows_of(const Text& path, const std::vector<Text>& numbers) {
  struct Source {
    data::Table table;
    std::vector<py::str> names;
    std::vector<bool> is_number;
  };
  auto source = std::make_shared<Source>(Source{data::Table(text::Lines(path.bytes)), {}, {}});
  for (const std::string& name : source->table.columns()) source->names.push_back(to_str(name));
  source->is_number.resize(source->names.size());
  for (const Text& name : numbers) source->is_number[source->table.column(name.bytes)] = true;
  return {[source]() -> py::object {
    if (!source->table.next()) return {};
    py::dict row;
    for (size_t c = 0; c < source->names.size(); ++c) {
      if (source->is_number[c])
        row[source->names[c]] = py::cast(source->table.number(c));
      else
        row[source->names[c]] = to_str(source->table.field(c));
    }
    return row;
  }};
}

}  // namespace

void add_sentences(py::module_& m) {
  m.def("conllu", [](const Text& path) {
    return examples_of<conllu::Sentence>(
        path, [](auto& lines, auto& sentence) { return conllu::next(lines, sentence); },
        [](const auto& sentence) { return words_of(sentence); });
  });
  m.def("is_projective", [](const std::vector<int>& heads) {
    conllu::Sentence sentence(heads.size());
    for (size_t i = 0; i < heads.size(); ++i) sentence[i].head = heads[i];
    return conllu::is_projective(sentence);
  });

  m.def(
      "tagged",
      [](const Text& path, const SharedVocabulary& words, const SharedVocabulary& tags) {
        return examples_of<tagged::Sentence>(
            path, [words, tags](auto& lines, auto& sentence) { return tagged::next(lines, sentence, *words, *tags); },
            [](const auto& sentence) { return tokens_of(sentence); });
      },
      py::arg("path"), py::arg("words").none(false), py::arg("tags").none(false));
  m.def("tagged_generate", [](Count n, Count seed, data::Vocabulary& words, data::Vocabulary& tags) {
    return list_of(tagged::generate(n, seed, words, tags), [](const auto& s) { return tokens_of(s); });
  });

  m.def(
      "text",
      [](const Text& path, const SharedVocabulary& words) {
        return examples_of<data::text::Sentence>(
            path, [words](auto& lines, auto& sentence) { return data::text::next(lines, sentence, *words); },
            [](const auto& sentence) { return indices_of(sentence); });
      },
      py::arg("path"), py::arg("words").none(false));
  m.def("text_parse",
        [](const Text& line, data::Vocabulary& words) { return indices_of(data::text::parse(line.bytes, words)); });
  m.def("text_generate", [](Count n, Count seed, data::Vocabulary& words) {
    return list_of(data::text::generate(n, seed, words), [](const auto& s) { return indices_of(s); });
  });

  m.def("table", &rows_of);
}

}  // namespace espalier::python
