// Synthetic data without readers, and the pairs of atoms of a molecule.
#include <espalier/base/error.h>
#include <espalier/data/molecule.h>
#include <espalier/data/synthetic/digit_images.h>
#include <espalier/data/synthetic/fizz_buzz.h>
#include <espalier/data/synthetic/languages.h>
#include <espalier/data/synthetic/marked.h>

#include <pybind11/stl.h>

#include "python/src/data/data.h"
#include "python/src/errors.h"
#include "python/src/value/tensor.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

namespace digit_images = data::digit_images;
namespace fizz_buzz = data::fizz_buzz;
namespace languages = data::languages;
namespace marked = data::marked;

// (pixels, digit); the pixels are an array [28, 28].
py::tuple image_of(digit_images::Image image) {
  const int digit = image.digit;
  const Ref pixels =
      Ref::steal(checked(new_tensor(Tensor{{digit_images::height, digit_images::width}, std::move(image.pixels)})));
  return py::make_tuple(py::reinterpret_steal<py::object>(checked(as_array(pixels.get()))), digit);
}

marked::Problem to_problem(const std::string& text) {
  if (text == "addition") return marked::Problem::addition;
  if (text == "multiplication") return marked::Problem::multiplication;
  throw OptionError("marked: problem", text, "addition or multiplication");
}
py::tuple sequence_of(const marked::Sequence& s) {
  return py::make_tuple(
      list_of(s.steps, [](const marked::Step& step) { return py::make_tuple(step.number, step.mark); }), s.target);
}

// A molecule with these bonds. Only its bonds matter here.
data::Molecule bonded(size_t atoms, const std::vector<std::array<int, 2>>& bonds) {
  data::Molecule molecule;
  molecule.atoms.resize(atoms);
  for (const auto& ends : bonds) {
    for (const int end : ends)
      if (end < 0 || static_cast<size_t>(end) >= atoms)
        throw IndexError("molecule: a bond ends at atom " + std::to_string(end) + " of " + std::to_string(atoms));
    molecule.bonds.push_back({.ends = ends});
  }
  return molecule;
}

}  // namespace

void add_synthetic(py::module_& m) {
  m.def("digit_image", [](Count seed, Count index) { return image_of(digit_images::draw(seed, index)); });
  m.def("fizz_buzz", [](Count n, Count seed, int first, int last) {
    return list_of(fizz_buzz::generate(n, seed, first, last),
                   [](const auto& x) { return py::make_tuple(x.number, x.answer); });
  });
  m.def("fizz_buzz_answer", &fizz_buzz::answer);
  m.attr("fizz_buzz_names") =
      py::tuple(py::cast(std::vector<std::string>(fizz_buzz::answer_names.begin(), fizz_buzz::answer_names.end())));
  m.def("language", [](Count seed, Count index) {
    const languages::Text text = languages::draw(seed, index);
    return py::make_tuple(to_str(text.letters), text.language);
  });
  m.attr("language_names") =
      py::tuple(py::cast(std::vector<std::string>(languages::names.begin(), languages::names.end())));
  m.def("marked", [](const std::string& problem, Count seed, Count index, Count shortest, Count longest) {
    return sequence_of(marked::draw(to_problem(problem), seed, index, {shortest, longest}));
  });
  m.def("marked_parse", [](const std::string& problem, const Text& text) {
    return sequence_of(marked::parse(to_problem(problem), text.bytes));
  });
  m.def("bonds_of_atoms", [](size_t atoms, const std::vector<std::array<int, 2>>& bonds) {
    return bonded(atoms, bonds).bonds_of_atoms();
  });
  m.def("pairs_within", [](size_t atoms, const std::vector<std::array<int, 2>>& bonds, int distance) {
    return list_of(data::pairs_within(bonded(atoms, bonds), distance), [](const auto& p) {
      return py::make_tuple(py::make_tuple(p.ends[0], p.ends[1]), p.distance, p.bond);
    });
  });
}

}  // namespace espalier::python
